package runner

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fields returns the fields of a pod's spec as in its JSON.
func fields(p *corev1.Pod) any {
	all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p.Spec)
	if err != nil {
		panic(fmt.Sprintf("a pod's spec is not an object: %v", err)) // the API's types are
	}
	return all
}

// dropped returns the path of a field that was wanted and is missing, or "". The API server adds fields and appends to
// lists.
func dropped(want, got any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			below := path + "." + name
			if want[name] != nil && got[name] == nil {
				return below
			}
			if field := dropped(want[name], got[name], below); field != "" {
				return field
			}
		}
	case []any:
		got, _ := got.([]any)
		for i := range want {
			below := fmt.Sprintf("%s[%d]", path, i)
			if i >= len(got) {
				return below
			}
			if field := dropped(want[i], got[i], below); field != "" {
				return field
			}
		}
	}
	return ""
}

// decisive are fields that decide when the kubelet kills, restarts or probes, with the API server's defaults
// (pkg/apis/core/v1/defaults.go). Those without a default are absent unless somebody sets them.
var decisive = map[string]any{
	"terminationGracePeriodSeconds": int64(corev1.DefaultTerminationGracePeriodSeconds),
	"timeoutSeconds":                int64(1), "periodSeconds": int64(10),
	"successThreshold": int64(1), "failureThreshold": int64(3),
	"restartPolicy": string(corev1.RestartPolicyAlways), // of the pod: a container has none

	"initContainers": nil, "ephemeralContainers": nil, "activeDeadlineSeconds": nil, "readinessGates": nil,
	"shareProcessNamespace": nil, "hostPID": nil, "runtimeClassName": nil,
	"livenessProbe": nil, "readinessProbe": nil, "startupProbe": nil, "initialDelaySeconds": nil,
	"lifecycle": nil, "preStop": nil, "postStart": nil, "stopSignal": nil, "restartPolicyRules": nil,
	"command": nil, "args": nil,
}

// refusals are what policies answer, with several statuses: webhooks (webhook/errors/statuserror.go of the apiserver),
// ValidatingAdmissionPolicies, Pod Security and limit ranges. They refuse each further attempt as well. A
// full quota does not.
var refusals = regexp.MustCompile(` denied (the )?request|violates PodSecurity| usage per `)

// altered returns, in words, which value an admission webhook changed, or which container or decisive field it added,
// or "". The API server itself adds other fields, and items to other lists.
func altered(want, got any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if field := altered(want[name], got[name], path+"."+name); field != "" {
				return field
			}
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			usual, decides := decisive[name]
			switch _, wanted := want[name]; {
			case wanted || !decides:
			case usual == nil:
				return "adds " + path + "." + name
			case got[name] != usual:
				return fmt.Sprintf("changes %s.%s from %v to %v", path, name, usual, got[name])
			}
		}
	case []any:
		got, _ := got.([]any)
		if strings.HasSuffix(strings.ToLower(path), "containers") && len(got) > len(want) {
			return "adds one of " + path
		}
		for i := range min(len(want), len(got)) {
			if field := altered(want[i], got[i], fmt.Sprintf("%s[%d]", path, i)); field != "" {
				return field
			}
		}
	default:
		// The API server itself makes a negative grace period one second (conversion.go Convert_v1_Pod_To_core_Pod).
		if grace, _ := want.(int64); grace < 0 && path == "spec.terminationGracePeriodSeconds" {
			want = int64(1)
		}
		if want != nil && got != want {
			return fmt.Sprintf("changes %s from %v to %v", path, want, got)
		}
	}
	return ""
}
