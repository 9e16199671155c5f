package suites

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// evidencePath holds the recorded evidence of every trial in the virtual lane. PODCLOCK_EVIDENCE=out/…/run.json go
// test ./suites writes it from a saved run.
const evidencePath = "testdata/evidence.json.gz"

// recorded is the evidence of one trial's last attempt, and its kubelet.
type recorded struct {
	Kubelet  formula.Kubelet   `json:"kubelet"`
	Evidence timeline.Evidence `json:"evidence"`
}

// readEvidence reads the recorded evidence by trial.
func readEvidence(t *testing.T) map[string]recorded {
	g := NewWithT(t)
	if run := os.Getenv("PODCLOCK_EVIDENCE"); run != "" {
		writeEvidence(t, run)
	}
	file, err := os.Open(evidencePath)
	g.Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	g.Expect(err).NotTo(HaveOccurred())
	all := map[string]recorded{}
	g.Expect(json.NewDecoder(unzipped).Decode(&all)).To(Succeed())
	return all
}

// writeEvidence saves what a run's virtual lane recorded on the newest release.
func writeEvidence(t *testing.T, path string) {
	g := NewWithT(t)
	text, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	var run struct {
		Subjects []struct {
			Name    string
			Kubelet formula.Kubelet
		}
		Outcomes []trial.Outcome
	}
	g.Expect(json.Unmarshal(text, &run)).To(Succeed())
	all := map[string]recorded{}
	for _, s := range run.Subjects {
		if s.Kubelet.Version != formula.NewestKnown || !strings.HasPrefix(s.Name, "virtual:") {
			continue
		}
		for _, o := range run.Outcomes {
			if o.Subject != s.Name || o.Last() == nil {
				continue
			}
			k := o.Last().Kubelet
			if k.Version == "" {
				k = s.Kubelet
			}
			all[o.Trial] = recorded{k, o.Last().Evidence}
		}
	}
	g.Expect(all).NotTo(BeEmpty(), "%s has no subject virtual:%s", path, formula.NewestKnown)
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.NewEncoder(w).Encode(all)).To(Succeed())
	g.Expect(w.Close()).To(Succeed())
	g.Expect(os.MkdirAll("testdata", 0o755)).To(Succeed())
	g.Expect(os.WriteFile(evidencePath, zipped.Bytes(), 0o644)).To(Succeed())
}
