//go:build !linux

package record

import "time"

// threadTime is unknown: the recorder's image is for Linux only, and other systems only compile it.
func threadTime() time.Duration { return 0 }
