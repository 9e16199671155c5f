// Package manifest reads manifests as an API server does: it decodes them strictly into Kubernetes' own types,
// fills in the API's defaults, and refuses what the API server's validation refuses.
//
// It covers the fields that predictions read, by the rules of Kubernetes v1.36.3. Kubernetes' own code
// (k8s.io/kubernetes) cannot be a dependency; tests of the virtual node check that the two agree. The package
// knows no formulas and no predictions.
package manifest

import (
	corev1 "k8s.io/api/core/v1"
)

// Manifest is the content of a stream of documents, all of them valid.
type Manifest struct {
	// Objects are those that make pods, in the order of the stream.
	Objects []Object
	// Skipped counts the other objects by kind.
	Skipped []Skipped
}

// Skipped counts objects of one kind that make no pods.
type Skipped struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Object is one object that makes pods.
type Object struct {
	// Document is the number of the object's document, from 1. Documents without content do not count.
	Document int
	// Line is the line of the stream in which the object begins, from 1.
	Line int
	// APIVersion, Kind, Namespace and Name are the object's own. The namespace is empty if the manifest has
	// none. If the object has a generateName, Name is that prefix and an asterisk.
	APIVersion, Kind, Namespace, Name string
	// Pod is the pod that the object makes, with the API's defaults, without the suffix of its name.
	Pod *corev1.Pod
	// PodPath is the field path of the pod's spec in the document, such as "spec", "spec.template.spec" or
	// "items[2].spec.jobTemplate.spec.template.spec".
	PodPath string

	lines *lines
}

// LineOf returns the line of the stream, from 1, that holds a field of the object's document. If the manifest
// does not set the field, it is the line of the nearest parent.
func (o Object) LineOf(path string) int { return o.lines.of(path) }
