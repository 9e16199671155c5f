// Package openshift is the OpenShift Tests Extension (OTE) of podclock: openshift-tests calls it to list and to run the
// trials as its own tests.
//
// The interface is API v1.1 of github.com/openshift-eng/openshift-tests-extension. That module is no dependency. It
// needs a replace directive for a fork of Ginkgo, which would not hold for those who install podclock with go install.
// And it runs one test after another, but podclock plays trials at the same time. A test compares the documents with a
// schema of the module's types. The package knows no cluster: what plays the trials is given.
package openshift

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
)

// apiVersion is the extension API's (extension.CurrentExtensionAPIVersion).
const apiVersion = "v1.1"

// extension describes the program (extension.Extension).
type extension struct {
	APIVersion string    `json:"apiVersion"`
	Source     source    `json:"source"`
	Component  component `json:"component"`
	Suites     []suite   `json:"suites"`
	Images     []image   `json:"images"`
}

// source is where the program comes from (extension.Source).
type source struct {
	Commit       string `json:"commit"`
	BuildDate    string `json:"build_date"`
	GitTreeState string `json:"git_tree_state"`
	SourceURL    string `json:"source_url,omitempty"`
}

// component is what the tests are about (extension.Component).
type component struct {
	Product string `json:"product"`
	Kind    string `json:"type"`
	Name    string `json:"name"`
}

var kubelet = component{Product: "podclock", Kind: "node", Name: "kubelet"}

func (c component) String() string { return c.Product + ":" + c.Kind + ":" + c.Name }

// suite is a selection of tests (extension.Suite). It has no parent, so nobody runs podclock's tests without asking.
type suite struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Qualifiers are CEL expressions. A test belongs to the suite if one of them is true.
	Qualifiers       []string `json:"qualifiers,omitempty"`
	ClusterStability string   `json:"clusterStability,omitempty"`
	profile          trial.Profile
}

// image is what nodes pull (extension.Image).
type image struct {
	Index    int    `json:"index"`
	Registry string `json:"registry"`
	Name     string `json:"name"`
	Version  string `json:"version"`
}

// spec is a trial as a test (extensiontests.ExtensionTestSpec).
type spec struct {
	Name      string              `json:"name"`
	Labels    map[string]struct{} `json:"labels"`
	Tags      map[string]string   `json:"tags,omitempty"`
	Resources resources           `json:"resources"`
	Source    string              `json:"source"`
	Lifecycle string              `json:"lifecycle"`
	trial     trial.Trial
}

// resources are what a test needs (extensiontests.Resources).
type resources struct {
	Isolation isolation `json:"isolation"`
	Duration  string    `json:"duration,omitempty"`
}

// isolation is what must not run beside a test (extensiontests.Isolation).
type isolation struct {
	// Taint are names of changes to the cluster. While the test runs, only tests that tolerate them do.
	Taint []string `json:"taint,omitempty"`
}

// blocking is the lifecycle of a test that fails its job (extensiontests.LifecycleBlocking).
const blocking = "blocking"

// describe returns what the program is and which suites it has.
func describe(images []image) extension {
	i := program.Read()
	commit, dirty := strings.CutSuffix(i.Revision, "-dirty")
	s := source{Commit: commit, BuildDate: i.Date, SourceURL: "https://github.com/podclock/podclock"}
	switch {
	case dirty:
		s.GitTreeState = "dirty"
	case commit != "":
		s.GitTreeState = "clean"
	}
	return extension{APIVersion: apiVersion, Source: s, Component: kubelet, Suites: suites(), Images: images}
}

func suites() []suite {
	of := func(p trial.Profile, description string) suite {
		return suite{
			Name: "podclock/" + string(p), Description: description, ClusterStability: "Stable", profile: p,
			Qualifiers: []string{fmt.Sprintf("source == %s && labels.exists(l, l == %s)",
				strconv.Quote(kubelet.String()), strconv.Quote(string(p)))},
		}
	}
	return []suite{
		of(trial.Quick, "how nodes kill and restart pods: the trials of at most "+trial.QuickBound.String()),
		of(trial.Full, "how nodes kill and restart pods: all trials"),
	}
}

// specs returns the trials that a real node can play. Their names never change. Labels are areas, labels and profiles.
// A trial that harms nodes is serial, and skipped unless --allow names the harm.
func specs(catalogue []trial.Trial) (all []spec) {
	for _, t := range catalogue {
		if t.VirtualOnly() {
			continue
		}
		s := spec{
			Name: "[sig-node] podclock " + t.ID, Labels: map[string]struct{}{}, Source: kubelet.String(),
			Tags: map[string]string{"about": t.About}, Resources: resources{Duration: t.Lasts.String()},
			Lifecycle: blocking, trial: t,
		}
		for _, l := range session.LabelsOf(t) {
			s.Labels[l] = struct{}{}
		}
		for _, p := range []trial.Profile{trial.Quick, trial.Full} {
			if p.Holds(t) {
				s.Labels[string(p)] = struct{}{}
			}
		}
		for _, h := range external.HarmsOf(t) {
			if h != external.RawSockets { // those harm no other test
				s.Resources.Isolation.Taint = append(s.Resources.Isolation.Taint, "podclock.dev/"+string(h))
			}
		}
		if s.Resources.Isolation.Taint != nil {
			s.Name += " [Serial]"
		}
		all = append(all, s)
	}
	return all
}
