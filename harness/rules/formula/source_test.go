package formula

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

func TestPlaces(t *testing.T) {
	g := gomega.NewWithT(t)
	f := Formula{ID: "a/b", Source: "pkg/kubelet/prober/worker.go run (the ticker, made once), doProbe; prober.go " +
		"probe; " +
		"apiserver pkg/registry/rest/delete.go BeforeDelete; apimachinery pkg/apis/meta/v1/time.go Time.MarshalJSON; " +
		"before v1.25.0 pkg/kubelet/kubelet_pods.go HandlePodCleanups; containerd exit status of the init process"}
	in := func(module, file, name string) Place { return Place{Module: module, File: file, Name: name} }
	old := in(Kubernetes, "pkg/kubelet/kubelet_pods.go", "HandlePodCleanups")
	old.Before = "v1.25.0"
	places, err := f.Places()
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(places).To(gomega.Equal([]Place{
		in(Kubernetes, "pkg/kubelet/prober/worker.go", "run"),
		in(Kubernetes, "pkg/kubelet/prober/worker.go", "doProbe"),
		in(Kubernetes, "pkg/kubelet/prober/prober.go", "probe"),
		in("k8s.io/apiserver", "pkg/registry/rest/delete.go", "BeforeDelete"),
		in("k8s.io/apimachinery", "pkg/apis/meta/v1/time.go", "Time.MarshalJSON"),
		old, {Elsewhere: "containerd exit status of the init process"},
	}))
	g.Expect(places[1].String()).To(gomega.Equal("pkg/kubelet/prober/worker.go doProbe"))
	g.Expect(places[3].String()).To(gomega.Equal("apiserver pkg/registry/rest/delete.go BeforeDelete"))
	g.Expect(places[6].String()).To(gomega.Equal("containerd exit status of the init process"))
	for source, says := range map[string]string{
		"":                                 `source of a/b: "" is no file with the names`,
		"pkg/kubelet/kubelet.go":           `"pkg/kubelet/kubelet.go" is no file with the names of functions in it`,
		"metav1.Time":                      `"metav1.Time" is no file`,
		"worker.go run":                    `no folder is known for "worker.go"`,
		"pkg/a.go run; ranking: b.go rank": `"ranking: b.go rank" is no file`,
		"pkg/a.go run (unclosed":           `"run (unclosed" is no name of a function`,
		"pkg/a.go two words":               `"two words" is no name of a function`,
		"pkg/a.go run;pkg/b.go run":        `"run;pkg/b.go run" is no name`,
		"runc exit status":                 `"runc exit status" is no file`,
	} {
		_, err := Formula{ID: "a/b", Source: source}.Places()
		g.Expect(err).To(gomega.MatchError(gomega.ContainSubstring(says)), source)
	}
}

func TestEverySourceIsRead(t *testing.T) {
	g := gomega.NewWithT(t)
	named := map[string]bool{}
	for _, f := range All() {
		places, err := f.Places()
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Expect(places).NotTo(gomega.BeEmpty(), f.ID)
		for _, p := range places {
			named[p.String()] = true
		}
	}
	for place := range former {
		for _, f := range former {
			named[f.was] = true
		}
		g.Expect(named).To(gomega.HaveKey(place), "no formula was read in %s any more", place)
	}
}

// The rows are read in the sources of the releases.
func TestFormerPlaces(t *testing.T) {
	for source, in := range map[string]map[string]string{
		"pkg/kubelet/kubelet.go SyncPod": {
			"v1.23.1": "pkg/kubelet/kubelet.go syncPod", "v1.26.15": "pkg/kubelet/kubelet.go syncPod",
			"v1.27.0": "pkg/kubelet/kubelet.go SyncPod", "v1.38.0": "pkg/kubelet/kubelet.go SyncPod",
		},
		"pkg/kubelet/kubelet.go tryReconcileMirrorPods": {
			"v1.23.1": "pkg/kubelet/kubelet.go syncPod", "v1.31.14": "pkg/kubelet/kubelet.go SyncPod",
			"v1.32.13": "pkg/kubelet/kubelet.go tryReconcileMirrorPods",
		},
		"pkg/kubelet/pod_workers.go completeSync": {
			"v1.22.8": "", "v1.22.17": "pkg/kubelet/pod_workers.go completeSync", "v1.23.1": "",
			"v1.24.0": "pkg/kubelet/pod_workers.go completeSync",
		},
		"before v1.25.0 pkg/kubelet/kubelet_pods.go HandlePodCleanups": {
			"v1.24.17": "pkg/kubelet/kubelet_pods.go HandlePodCleanups", "v1.25.0": "", "v1.37.2": "",
		},
		"containerd internal/cri/server/container_stop.go": {"v1.37.2": ""},
	} {
		for version, want := range in {
			g := gomega.NewWithT(t)
			places, err := Formula{Source: source}.Places()
			g.Expect(err).NotTo(gomega.HaveOccurred())
			there := places[0].In(version)
			g.Expect(there.Module != "").To(gomega.Equal(want != ""), "%s in %s", source, version)
			g.Expect(there.Before).To(gomega.BeEmpty())
			g.Expect(strings.TrimSpace(there.String())).To(gomega.Equal(want), "%s in %s", source, version)
		}
	}
}
