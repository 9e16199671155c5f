// Package program knows which podclock this program is. Go stamps it when it compiles the program inside a checkout.
package program

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Info describes this program.
type Info struct {
	// Version is a tag, such as v0.4.0, or between tags the one that Go makes from the commit. Without a checkout it is
	// "(devel)".
	Version string `json:"version"`
	// Revision is the commit. It ends with "-dirty" if files were changed. Date is the commit's.
	Revision string `json:"revision,omitempty"`
	Date     string `json:"date,omitempty"`
	Go       string `json:"go"`
	// Platform is what the program is for, such as linux/arm64.
	Platform string `json:"platform"`
}

// Read returns what the program was stamped with.
func Read() Info {
	info, known := debug.ReadBuildInfo()
	if !known {
		info = &debug.BuildInfo{}
	}
	return Of(info)
}

// Of returns what a program was stamped with. Go and platform are those of this program.
func Of(info *debug.BuildInfo) Info {
	i := Info{
		Version: cmp.Or(info.Main.Version, "(devel)"), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Revision = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		i.Revision += "-dirty"
	}
	return i
}

// shortRevision is how many digits of a commit a name has.
const shortRevision = 12

// Name returns the shortest name that identifies the program in a report: the commit, and without it the version.
func (i Info) Name() string {
	revision, dirty, changed := strings.Cut(i.Revision, "-")
	if len(revision) > shortRevision {
		revision = revision[:shortRevision]
	}
	if changed {
		revision += "-" + dirty
	}
	return cmp.Or(revision, i.Version)
}

// String returns version, commit, date, Go and platform in one line.
func (i Info) String() string {
	parts := []string{"podclock " + i.Version}
	if i.Revision != "" {
		parts = append(parts, "commit "+i.Revision+" of "+i.Date)
	}
	return strings.Join(append(parts, "built with "+i.Go+" for "+i.Platform), ", ")
}
