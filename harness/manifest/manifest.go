// Package manifest reads manifests as an API server does: decoded strictly into Kubernetes' own types, with
// the API's defaults filled in, and refused where the API server's validation refuses them.
//
// It fills in and validates those fields that predictions read, by the rules of Kubernetes v1.36.3, whose
// own code (k8s.io/kubernetes) can't be a dependency; the tests of the virtual node prove that the two
// agree. The package knows nothing of formulas and predictions.
package manifest

import (
	corev1 "k8s.io/api/core/v1"
)

// Manifest is what a stream of documents holds, all of it valid.
type Manifest struct {
	// Objects are those that make pods, in the order of the stream.
	Objects []Object
	// Skipped are the others, by kind.
	Skipped []Skipped
}

// Skipped counts objects of one kind that make no pods.
type Skipped struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Object is one object that makes pods.
type Object struct {
	// Document is the number of its document, from 1; documents without content, such as those that consist
	// of comments, do not count. Line is the line of the stream, from 1, in which the object begins.
	Document, Line int
	// APIVersion, Kind, Namespace and Name are the object's own. The namespace is empty where the manifest
	// says none; of an object that leaves its name to the API server (generateName), the name is the prefix
	// and an asterisk.
	APIVersion, Kind, Namespace, Name string
	// Pod is the pod that it makes, with the API's defaults. What the API server would add to its name is not in it.
	Pod *corev1.Pod
	// PodPath is the field path of the pod's spec in the document, such as "spec", "spec.template.spec" or
	// "items[2].spec.jobTemplate.spec.template.spec".
	PodPath string

	lines *lines
}

// LineOf is the line of the stream in which a field of the object's document stands, from 1: that of its
// nearest parent where the manifest does not say the field.
func (o Object) LineOf(path string) int { return o.lines.of(path) }
