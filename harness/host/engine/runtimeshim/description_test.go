//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestDescriptionOf(t *testing.T) {
	for line, want := range map[string]description{
		"--root /run/runc --log /b/log.json --log-format json create --bundle /b --pid-file /b/init.pid id": {
			"/b/config.json", "process",
		},
		"--systemd-cgroup create -b /b id":         {"/b/config.json", "process"},
		"run --bundle=/b id":                       {"/b/config.json", "process"},
		"create id":                                {"config.json", "process"},
		"--root create exec --process /tmp/p id":   {"/tmp/p", ""},
		"exec --detach -p /tmp/p --pid-file /x id": {"/tmp/p", ""},
	} {
		got, found := descriptionOf(strings.Fields(line))
		NewWithT(t).Expect(found).To(BeTrue(), line)
		NewWithT(t).Expect(got).To(Equal(want), line)
	}
	for _, line := range []string{
		"", "--version", "state id", "kill id 9", "--root /r delete create", "exec id sh", "features",
	} {
		_, found := descriptionOf(strings.Fields(line))
		NewWithT(t).Expect(found).To(BeFalse(), line)
	}
}

func TestWithout(t *testing.T) {
	const process = `{"args":["sh"],"oomScoreAdj":-998,"rlimits":[{"type":"RLIMIT_NOFILE",` +
		`"hard":18446744073709551615,"soft":1}],` +
		`"capabilities":{"bounding":["CAP_KILL","CAP_SYS_RESOURCE"],"ambient":["CAP_SYS_RESOURCE"]}}`
	for title, c := range map[string]struct {
		key, content string
		missing      []string
		want         string
	}{
		"the bundle of a container": {
			"process", `{"linux":{"id":18446744073709551615},"process":` + process + `}`, []string{"CAP_SYS_RESOURCE"},
			`{"linux":{"id":18446744073709551615},"process":{"args":["sh"],"capabilities":{"ambient":[],` +
				`"bounding":["CAP_KILL"]}}}`,
		},
		"the process of an exec": {
			"", process, []string{"CAP_SYS_RESOURCE"},
			`{"args":["sh"],"capabilities":{"ambient":[],"bounding":["CAP_KILL"]}}`,
		},
		"limits stay where their capability is there": {
			"", `{"oomScoreAdj":0,"rlimits":[],"capabilities":{"bounding":["CAP_KILL","CAP_BPF"]}}`, []string{
				"CAP_BPF",
			},
			`{"oomScoreAdj":0,"rlimits":[],"capabilities":{"bounding":["CAP_KILL"]}}`,
		},
		"no process at all": {"process", `{"ociVersion":"1"}`, []string{"CAP_BPF"}, `{"ociVersion":"1"}`},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(t.TempDir(), "config.json")
			g.Expect(os.WriteFile(file, []byte(c.content), 0o600)).To(Succeed())
			g.Expect(description{file, c.key}.without(c.missing)).To(Succeed())
			got, err := os.ReadFile(file)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(got)).To(MatchJSON(c.want))
			if strings.Contains(c.want, "18446744073709551615") {
				g.Expect(string(got)).To(ContainSubstring("18446744073709551615"), "a number was rounded")
			}
		})
	}
}

func TestWithoutNamesTheFileItCannotRead(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "config.json")
	g.Expect(description{file: file}.without([]string{"CAP_BPF"})).To(MatchError(ContainSubstring(file)))
	g.Expect(os.WriteFile(file, []byte("{"), 0o600)).To(Succeed())
	g.Expect(description{file: file}.without([]string{"CAP_BPF"})).To(MatchError(ContainSubstring(file)))
}
