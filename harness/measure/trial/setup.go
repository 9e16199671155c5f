package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Setup returns a hash of what the trial does: its pods, their node and the faults. A run saves it, because evidence of
// other pods says nothing of these. A claim, a duration or a sentence that changes is no other setup, nor is what no
// formula depends on: see neutral.
func (t Trial) Setup() string {
	type fault struct {
		Fault
		When string
	}
	does := struct {
		Pod                 *corev1.Pod
		Companions          []*corev1.Pod
		Unscheduled, Static bool
		Budgets             int
		Budget              *policyv1.PodDisruptionBudgetSpec
		Job                 *batchv1.JobSpec
		Service             *corev1.ServiceSpec
		Worker              *Worker
		Faults              []fault `json:"Cues"` // earlier revisions say cue, and the hash stays
		ContainerStart      int64
	}{t.Pod, t.Companions, t.Unscheduled, t.Static, t.Budgets, t.Budget, t.Job, t.Service, nil, nil,
		int64(t.ContainerStart)}
	if t.Worker != nil { // no time depends on its name, or on what else runs there
		w := *t.Worker
		w.Name, w.Alone = "", false
		does.Worker = &w
	}
	for _, c := range t.Faults {
		does.Faults = append(does.Faults, fault{c, strings.ReplaceAll(c.When.String(), "fault", "cue")})
	}
	sum := sha256.Sum256(canonical(does))
	return hex.EncodeToString(sum[:6])
}

// neutral are fields of a pod on which no time depends: who a victim runs as, and where its recorder is.
var neutral = []string{"securityContext", "env"}

// canonical returns JSON without what is neutral, or empty, which depends on the version of the API's types.
func canonical(v any) []byte {
	var plain any
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err == nil {
		text, err = json.Marshal(pruned(plain))
	}
	if err != nil {
		panic(fmt.Sprintf("a trial that has no JSON: %v", err)) // it is made of the API's types and plain values
	}
	return text
}

func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range v {
			if value = pruned(value); value != nil && !slices.Contains(neutral, name) {
				kept[name] = value
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	}
	return v
}
