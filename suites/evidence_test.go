package suites

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// evidencePath holds what a run of the virtual lane recorded of every trial. It is written from a saved
// run, by PODCLOCK_EVIDENCE=out/…/run.json go test ./suites.
const evidencePath = "testdata/evidence.json.gz"

// recorded is what one trial's last attempt recorded, and on which kubelet.
type recorded struct {
	Kubelet  formula.Kubelet   `json:"kubelet"`
	Evidence timeline.Evidence `json:"evidence"`
}

// readEvidence reads what was recorded, by trial.
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

// writeEvidence keeps what a saved run's virtual lane recorded on the newest release.
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
