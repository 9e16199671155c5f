package drawn

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
)

// Options describe a test.
type Options struct {
	// Root is podclock's source.
	Root   string
	Trials []trial.Trial
	// Reach is what the trials execute. Its version is that of the mutants.
	Reach reach.Map
	// Seeds decide which mutants are drawn, Count is their number for each seed.
	Seeds []uint64
	Count int
	// Locate has a mutant that a claim kills meet its other trials, up to the bound, and compares the diagnosis of a
	// run with the mutant.
	Locate bool
	// Log receives slow steps.
	Log io.Writer
	// Judged is called for each mutant in turn. It may be nil.
	Judged func(done, all int, m Mutant)
}

// Status is the result of a mutant.
type Status string

// The results.
const (
	// Invalid mutants do not compile.
	Invalid Status = "does not compile"
	// Equivalent mutants do what the unchanged code does, or nothing that a pod or its API object shows.
	Equivalent Status = "equivalent"
	// Survived mutants have the same traces as the unchanged kubelet.
	Survived Status = "survived"
	// Different mutants have other traces, but no claim deviates.
	Different Status = "different"
	// Killed mutants have a claim that deviates, or a kubelet that ends, hangs or does not start.
	Killed Status = "killed"
)

// Mutant is one drawn mutant and its result.
type Mutant struct {
	Seed uint64 `json:"seed"`
	// File is the import path of its package and the file's name.
	File     string            `json:"file"`
	Within   string            `json:"within"`
	Line     int               `json:"line"`
	Column   int               `json:"column"`
	Operator operator.Operator `json:"operator"`
	Now      string            `json:"now"`
	Other    string            `json:"other"`
	Status   Status            `json:"status"`
	// Executing is the number of trials that execute the changed code. Played are those that it met.
	Executing int `json:"executing"`
	Played    int `json:"played"`
	// Difference is the first difference of its traces, Kill the trial and claim that deviates, or how the kubelet
	// ended.
	Difference string `json:"difference,omitempty"`
	Kill       string `json:"kill,omitempty"`
	// Ended means that it was not killed by a claim: the kubelet did not start, ended or hung.
	Ended bool `json:"ended,omitempty"`
	// AsIf are the known mistakes that a run of its trials reports. Unexplained means that none fits some of the claims
	// that deviate. LookAt are the functions that the run names for these, and Located is the place of the mutated one
	// among them, from 1, or 0.
	AsIf        []string `json:"asIf,omitempty"`
	Unexplained bool     `json:"unexplained,omitempty"`
	LookAt      []string `json:"lookAt,omitempty"`
	Located     int      `json:"located,omitempty"`
	// Because is why it is equivalent, or the compiler's error.
	Because string        `json:"because,omitempty"`
	Took    time.Duration `json:"took,omitempty"`

	name     string // what selects it in the program
	from, to int
	trials   []int // of the map
	// idle is why the syntax shows that it is equivalent, or "".
	idle string
	// code is its line and the one before.
	code string
}

func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d %s, %s", path.Base(m.File), m.Line, m.Within, m.Operator)
}

// File is the name of a saved report.
const File = "drawn.json"

// Load reads a saved report.
func Load(file string) (r Report, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// Report is the result of a test.
type Report struct {
	// ID is the name of the report's folder.
	ID      string    `json:"id"`
	Version string    `json:"version"`
	Seeds   []uint64  `json:"seeds"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Made is the number of all mutants of the lifecycle code, Reached of those in code that a trial executes.
	Made    int           `json:"made"`
	Reached int           `json:"reached"`
	Build   time.Duration `json:"build"`
	Mutants []Mutant      `json:"mutants"`
}
