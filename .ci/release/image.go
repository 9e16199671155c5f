package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/podclock/podclock/images"
)

// layoutFolder has the program's image for all architectures, as an OCI layout.
const layoutFolder = "oci"

// image writes the image of the program as a folder, and as an archive of the folder.
func (r *files) image(context.Context) error {
	programs := map[string]string{}
	for _, p := range platforms {
		if p.OS == "linux" {
			programs[p.Arch] = r.path(p.file())
		}
	}
	_, err := images.Layout(r.path(layoutFolder), r.program.Version, programs, map[string]string{
		"org.opencontainers.image.version":  r.program.Version,
		"org.opencontainers.image.revision": r.program.Revision,
		"org.opencontainers.image.source":   "https://" + repository,
		"org.opencontainers.image.licenses": "Apache-2.0",
	})
	if err != nil {
		return err
	}
	inside, err := contents(r.path(layoutFolder), "")
	if err != nil {
		return err
	}
	packed, err := tarred(inside, time.Unix(0, 0))
	if err != nil {
		return fmt.Errorf("packing the image: %w", err)
	}
	return os.WriteFile(r.path("podclock_image.oci.tar"), packed, 0o644)
}
