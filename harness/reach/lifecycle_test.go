package reach

import (
	"path"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/rules/formula"
)

// notPlayed are the files in which formulas were read and that are not lifecycle code, with the reason.
var notPlayed = map[string]string{
	"k8s.io/kubernetes/pkg/kubelet/server/stats/volume_stat_calculator.go":        "it measures volumes",
	"k8s.io/kubernetes/pkg/kubelet/stats/cri_stats_provider.go":                   "it measures containers",
	"k8s.io/kubernetes/cmd/kubelet/app/server.go":                                 "it starts a kubelet's process",
	"k8s.io/kubernetes/pkg/kubelet/volumemanager/volume_manager.go":               "it mounts volumes",
	"k8s.io/kubernetes/pkg/kubelet/cm/pod_container_manager_linux.go":             "a virtual node has no cgroups",
	"k8s.io/kubernetes/pkg/kubelet/config/file_linux.go":                          "a virtual node watches no folder",
	"k8s.io/kubernetes/pkg/kubelet/apis/config/v1beta1/defaults.go":               "it has constants only",
	"k8s.io/kubernetes/pkg/features/kube_features.go":                             "it has constants only",
	"k8s.io/kubernetes/pkg/controller/tainteviction/taint_eviction.go":            "a virtual node has no controllers of taints",
	"k8s.io/kubernetes/pkg/controller/job/job_controller.go":                      "a virtual node has no Job controller",
	"k8s.io/kubernetes/plugin/pkg/admission/podresize/admission.go":               "it is missing up to 1.35",
	"k8s.io/apimachinery/pkg/apis/meta/v1/time.go":                                "it rounds any time",
	"k8s.io/client-go/tools/cache/reflector.go":                                   "it lists any object",
	"k8s.io/kubernetes/pkg/kubelet/config/apiserver.go":                           "it lists the pods of a node",
	"k8s.io/component-helpers/apimachinery/lease/controller.go":                   "a virtual node has no lease",
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go": "a virtual node has no lease",
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/config/v1alpha1/defaults.go":  "a virtual node has no lease",
	"k8s.io/kubernetes/pkg/controller/endpointslice/endpointslice_controller.go":  "a virtual node has no Services",
	"k8s.io/kubernetes/pkg/proxy/iptables/proxier.go":                             "a virtual node has no proxy",
	"k8s.io/kubernetes/pkg/proxy/topology.go":                                     "a virtual node has no proxy",
	"k8s.io/kubernetes/pkg/proxy/apis/config/v1alpha1/defaults.go":                "a virtual node has no proxy",
}

// Every function in which a formula was read is lifecycle code, except in components that no virtual node contains.
func TestFormulasWereReadInLifecycleCode(t *testing.T) {
	g := NewWithT(t)
	missing := map[string]string{}
	for _, f := range formula.All() {
		places, err := f.Places()
		g.Expect(err).NotTo(HaveOccurred())
		for _, p := range places {
			file := path.Join(p.Module, p.File)
			if p.Module != "" && !holds(Lifecycle(), file) {
				missing[file] += " " + f.ID
			}
		}
	}
	for file, ids := range missing {
		if notPlayed[file] == "" {
			t.Errorf("%s:%s", file, ids)
		}
	}
}
