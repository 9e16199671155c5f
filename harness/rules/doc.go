// Package rules is the room of what a kubelet does to a pod: the formulas of each version and configuration, with their
// sources (package formula), what a pod's specification means to them (package podspec), and the names of the events in
// a pod's life (package lifecycle). It knows no measurement and no report. What measures and what predicts share it.
package rules
