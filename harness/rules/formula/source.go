package formula

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Kubernetes is the module of Kubernetes. Those of its staging area are beside it.
const Kubernetes = "k8s.io/kubernetes"

// Place is a declaration of Kubernetes in which a formula was read, or a part of another project.
type Place struct {
	// Module is [Kubernetes] or a module of its staging area. It is empty for a part of another project.
	Module string
	// File is a path in the module. Name is a function, method, type, constant or variable of the file. A method has
	// its own name, or that of its type before it if the file has several.
	File, Name string
	// Before is the first release without the behaviour that the formula reads here, or "".
	Before string
	// Elsewhere describes a part of another project. Nothing checks it.
	Elsewhere string
}

// String returns the place as sources write it.
func (p Place) String() string {
	if p.Module == "" {
		return p.Elsewhere
	}
	module := ""
	if p.Module != Kubernetes {
		module = strings.TrimPrefix(p.Module, staging) + " "
	}
	return module + p.File + " " + p.Name
}

const staging = "k8s.io/"

// otherProjects are the projects outside Kubernetes that formulas were read in.
var otherProjects = []string{"containerd", "CRI-O", "cadvisor"}

var (
	// sourceNote matches a remark behind a name.
	sourceNote = regexp.MustCompile(` \([^()]*\)`)
	// sourceClause matches a release, a module, a file and its names.
	sourceClause = regexp.MustCompile(`^(?:before (v\d+\.\d+\.\d+) )?(?:([a-z-]+) )?([\w./-]+\.go) (.+)$`)
	sourceName   = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$`)
)

// Places reads the formula's source: clauses separated by semicolons, each of a file and its names, separated by
// commas. Each name may have a remark in brackets. The word before a file is its module in the staging area. A file
// without a folder is beside the file before it. "before v1.25.0" restricts a clause to older releases. A clause that
// begins with another project's name is not read any further.
func (f Formula) Places() (places []Place, err error) {
	var last Place
	for clause := range strings.SplitSeq(sourceNote.ReplaceAllString(f.Source, ""), "; ") {
		if project, _, _ := strings.Cut(clause, " "); slices.Contains(otherProjects, project) {
			places = append(places, Place{Elsewhere: clause})
			continue
		}
		read := sourceClause.FindStringSubmatch(clause)
		if read == nil {
			return nil, fmt.Errorf("source of %s: %q is no file with the names of functions in it", f.ID, clause)
		}
		p := Place{Module: staging + cmp.Or(read[2], path.Base(Kubernetes)), File: read[3], Before: read[1]}
		if !strings.Contains(p.File, "/") {
			if last.File == "" {
				return nil, fmt.Errorf("source of %s: no folder is known for %q", f.ID, p.File)
			}
			p.Module, p.File = last.Module, path.Join(path.Dir(last.File), p.File)
		}
		last = p
		for name := range strings.SplitSeq(read[4], ", ") {
			if !sourceName.MatchString(name) {
				return nil, fmt.Errorf("source of %s: %q is no name of a function", f.ID, name)
			}
			p.Name = name
			places = append(places, p)
		}
	}
	return places, nil
}

// In returns where a release has the place, or the zero value if it has not.
func (p Place) In(version string) Place {
	if p.Module == "" || p.Before != "" && semver.Compare(version, p.Before) >= 0 {
		return Place{}
	}
	p.Before = ""
	for {
		before, changed := former[p.String()]
		if !changed || latest(before.since, version) != "" {
			return p
		}
		file, name, was := strings.Cut(before.was, " ")
		if !was {
			return Place{}
		}
		p.File, p.Name = file, name
	}
}
