//go:build !release

package embedded

import "embed"

// Released reports whether this program was built with the tag release.
const Released = false

var files embed.FS
