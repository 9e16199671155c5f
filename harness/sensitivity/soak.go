package sensitivity

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
)

// soakScenarios is the number of random scenarios for each survivor. They take two minutes on two cores.
const soakScenarios = 2000

// soakSurvivors runs random scenarios on each mutant that no trial caught. What they find is missing in the catalogue.
func (l *virtualLane) soakSurvivors(ctx context.Context) {
	defer l.display.Testing("", 0, 0)
	for i, m := range l.report.Mutants {
		if m.Verdict != detection.Survived || !m.Counts() {
			continue
		}
		l.display.Testing(m.Name+" in random scenarios", 0, soakScenarios)
		found := l.bench.soak(ctx, l.subject(m.Name))
		if ctx.Err() != nil {
			return
		}
		l.report.Mutants[i].Soak = &found
		l.keep(l.report)
	}
}

// soak runs `make soak` on a subject, which ends with the first violation.
func (h host) soak(ctx context.Context, s kubelet.Subject) detection.Soak {
	folder, err := os.MkdirTemp("", "podclock-soak-")
	if err != nil {
		return detection.Soak{Problem: err.Error()}
	}
	defer func() { _ = os.RemoveAll(folder) }()
	results := filepath.Join(folder, "results.json")
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=0", "-run=^TestSoak$", "./harness/soak")
	cmd.Dir = h.root
	cmd.Env = append(os.Environ(), "SUBJECTS="+s.String(), "SOAK="+strconv.Itoa(soakScenarios), "SEED=1", "KINDS=1",
		"OUT="+folder, "RESULTS="+results)
	printed, failure := cmd.CombinedOutput()
	text, err := os.ReadFile(results)
	if err != nil {
		return detection.Soak{Problem: fmt.Sprintf("%v: %s", failure, kubelet.FirstLines(string(printed)))}
	}
	var found detection.Soak
	if err := json.Unmarshal(text, &found); err != nil {
		return detection.Soak{Problem: err.Error()}
	}
	return found
}
