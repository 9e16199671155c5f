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

// soak runs `make soak` of podclock's source in root on a subject. It ends with the first violation.
func soak(ctx context.Context, root string, s kubelet.Subject) detection.Soak {
	folder, err := os.MkdirTemp("", "podclock-soak-")
	if err != nil {
		return detection.Soak{Problem: err.Error()}
	}
	defer func() { _ = os.RemoveAll(folder) }()
	results := filepath.Join(folder, "results.json")
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=0", "-run=^TestSoak$", "./harness/soak")
	cmd.Dir = root
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
