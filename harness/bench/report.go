// Package bench measures the load of many pods on one node: containers in crash loops, and probes each second. It
// compares restarts with the formula of the back-off, and probes with their period. It gives no verdict, and does not
// know how its results are reported.
package bench

import (
	"time"

	"github.com/podclock/podclock/harness/measure/run"
)

// Schema names the format of a saved [Report].
const Schema = "podclock.bench/v1"

// Kind is what the pods do.
type Kind string

const (
	// Restarts are pods whose only container crashes as soon as it has started.
	Restarts Kind = "restarts"
	// Probes are pods with a readiness probe each second.
	Probes Kind = "probes"
)

// Report is one benchmark. Its rows are in the order in which they were measured.
type Report struct {
	Schema  string    `json:"schema"`
	Kind    Kind      `json:"kind"`
	Started time.Time `json:"started"`
	// ControlPlane is the release of the API server, which all subjects share.
	ControlPlane string          `json:"controlPlane,omitempty"`
	Environment  run.Environment `json:"environment"`
	// Handler is that of the probes.
	Handler string `json:"handler,omitempty"`
	// Asked is the number of rows if nothing fails.
	Asked int   `json:"asked"`
	Rows  []Row `json:"rows"`
	// Ended is why there are fewer rows.
	Ended string `json:"ended,omitempty"`
}

// Row is a subject in one configuration with a number of pods.
type Row struct {
	Subject       string `json:"subject"`
	Configuration string `json:"configuration"`
	Pods          int    `json:"pods"`
	// Lacks is why the subject has no such configuration, Problem why the row was not measured. The row then has
	// nothing else.
	Lacks   string `json:"lacks,omitempty"`
	Problem string `json:"problem,omitempty"`
	// Starting is the time from the first request to create a pod until each had started.
	Starting time.Duration `json:"startingNS,omitempty"`
	// Idle is the load of the same node before all rows of the subject, Load that with the row's pods.
	Idle     Load           `json:"idle,omitzero"`
	Load     Load           `json:"load,omitzero"`
	Restarts *RestartResult `json:"restarts,omitempty"`
	Probes   *ProbeResult   `json:"probes,omitempty"`
	// Losses are marks that were not recorded, so restarts and probes are missing.
	Losses []string `json:"losses,omitempty"`
	// RecorderLate is the longest delay of the recorder itself. Each time of a mark may be late by it.
	RecorderLate time.Duration `json:"recorderLateNS,omitempty"`
	// Unanswered is for how long the kubelet and the runtime did not answer the recorder, at most, by program.
	Unanswered map[string]time.Duration `json:"unansweredNS,omitempty"`
}

// Measured reports whether the row has numbers.
func (r Row) Measured() bool { return r.Lacks == "" && r.Problem == "" }

// Load is what programs used during a time.
type Load struct {
	Lasted time.Duration `json:"lastedNS"`
	// The programs' CPU time in cores. Runtime is the container runtime's own process; Shims are the other processes of
	// its unit: shims and the OCI runtime. Processes of pods do not count.
	Kubelet   float64 `json:"kubeletCores"`
	Runtime   float64 `json:"runtimeCores"`
	Shims     float64 `json:"shimsCores"`
	APIServer float64 `json:"apiServerCores"`
	Etcd      float64 `json:"etcdCores"`
	// Host is how many cores of the host were busy, with anything.
	Host float64 `json:"hostCores"`
	// Resident memory at the end, in MiB.
	KubeletMiB   float64 `json:"kubeletMiB"`
	RuntimeMiB   float64 `json:"runtimeMiB"`
	APIServerMiB float64 `json:"apiServerMiB"`
	// Requests are those of the kubelet to the API server in each second, by HTTP method
	// (rest_client_requests_total).
	Requests map[string]float64 `json:"requestsPerSecond,omitempty"`
}

// CPU returns the cores of kubelet, runtime, shims and API server together.
func (l Load) CPU() float64 { return l.Kubelet + l.Runtime + l.Shims + l.APIServer }

// Total returns the kubelet's requests of all methods in each second.
func (l Load) Total() (sum float64) {
	for _, n := range l.Requests {
		sum += n
	}
	return sum
}
