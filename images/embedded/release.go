//go:build release

package embedded

import "embed"

// Released reports whether this program was built with the tag release.
const Released = true

//go:embed *.zst
var files embed.FS
