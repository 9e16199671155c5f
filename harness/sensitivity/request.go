package sensitivity

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
)

// Both is the lane of a proof in both lanes, one after the other.
const Both = "both"

// Request is what a user asks for. The zero value of each but AtLeast is its default.
type Request struct {
	// Mutants are names of mutations, separated by commas, or a regular expression for them; empty is all.
	Mutants string
	// Lane is "virtual", "node" or "both".
	Lane string
	// Profile is "quick" or "full", the trials that a mutant meets in the virtual lane, and of which its
	// witnesses are chosen for the node lane; empty is full.
	Profile string
	// WholeProfile asks for the whole profile in the node lane, too, for hours.
	WholeProfile bool
	// Version is the Kubernetes version whose source is changed; empty is the newest.
	Version string
	// Out is where proofs are saved; a relative path is meant from the project's root.
	Out string
	// AtLeast is the score that is asked for, in percent.
	AtLeast float64
	// Witnesses is the path of a saved proof, for a node lane without a virtual one before it; a relative
	// path is meant from the project's root.
	Witnesses string
	// Within bounds the node lane, 0 does not.
	Within time.Duration
}

// Options checks everything that can be checked before anything is built or booted. The error is one line
// that names the flag and the remedy.
func (r Request) Options(catalogue []trial.Trial, environment map[string]string) (Options, error) {
	o := Options{
		Environment:  maps.Clone(environment),
		AtLeast:      r.AtLeast / 100,
		WholeProfile: r.WholeProfile,
		Within:       r.Within,
	}
	var err error
	if !(r.AtLeast >= 0 && r.AtLeast <= 100) {
		return Options{}, fmt.Errorf("--at-least=%v: it is a share in percent, from 0 to 100", r.AtLeast)
	}
	if o.Lanes, err = lanes(r.Lane); err != nil {
		return Options{}, err
	}
	if o.Version, err = version(r.Version, o.Lanes); err != nil {
		return Options{}, err
	}
	if o.Mutations, err = mutations(r.Mutants, o.Version); err != nil {
		return Options{}, err
	}
	if err := o.takeProfile(r.Profile, catalogue); err != nil {
		return Options{}, err
	}
	if o.Root, err = session.Root(); err != nil {
		return Options{}, err
	}
	o.Out = session.Inside(o.Root, r.Out)
	if info, err := os.Stat(o.Out); err == nil && !info.IsDir() {
		return Options{}, fmt.Errorf("--out=%s is a file: name a folder", r.Out)
	}
	return o, o.takeNodeLane(r)
}

// takeNodeLane checks what is of use to the node lane only.
func (o *Options) takeNodeLane(r Request) error {
	if !slices.Contains(o.Lanes, kubelet.LaneNode) {
		switch {
		case r.Witnesses != "":
			return errors.New(
				"--witnesses is for --lane=node: in the virtual lane every mutant meets the whole profile",
			)
		case r.WholeProfile:
			return errors.New(
				"--whole-profile is for the node lane: in the virtual one every mutant meets the whole profile anyway",
			)
		case r.Within != 0:
			return errors.New("--within is for the node lane: the virtual one takes what it takes")
		}
		return nil
	}
	if r.Within < 0 {
		return fmt.Errorf("--within=%v: it is how long the node lane may take, such as 75m", r.Within)
	}
	settings := o.waveSettings(task{clean: o.Version})
	settings["OUT"] = o.Out
	if _, err := session.ParseConfig(settings); err != nil {
		return err
	}
	switch {
	case r.Witnesses == "":
		return nil
	case r.WholeProfile:
		return errors.New("--witnesses choose among the trials, --whole-profile takes all of them: give one of both")
	case slices.Contains(o.Lanes, kubelet.LaneVirtual):
		return errors.New(
			"--witnesses is for --lane=node alone: with the virtual lane before it, the node lane reads this proof's own",
		)
	}
	var err error
	if o.Witnesses, err = loadWitnesses(session.Inside(o.Root, r.Witnesses), o.Version); err != nil {
		return fmt.Errorf("--witnesses=%s: %w", r.Witnesses, err)
	}
	return nil
}

func lanes(asked string) ([]kubelet.Lane, error) {
	switch asked {
	case "", string(kubelet.LaneVirtual):
		return []kubelet.Lane{kubelet.LaneVirtual}, nil
	case string(kubelet.LaneNode):
		return []kubelet.Lane{kubelet.LaneNode}, nil
	case Both:
		return []kubelet.Lane{kubelet.LaneVirtual, kubelet.LaneNode}, nil
	}
	return nil, fmt.Errorf("--lane=%s: it is %s, %s or %s", asked, kubelet.LaneVirtual, kubelet.LaneNode, Both)
}

func version(asked string, lanes []kubelet.Lane) (string, error) {
	versions := kubelet.Versions()
	if slices.Contains(lanes, kubelet.LaneVirtual) {
		versions = kubelet.VirtualVersions()
	}
	switch {
	case asked == "":
		return versions[0], nil
	case slices.Contains(versions, asked):
		return asked, nil
	}
	return "", fmt.Errorf("--version=%s: the versions are %s", asked, strings.Join(versions, ", "))
}

// mutations are those that are asked for, in the catalogue's order. One that is asked for by its name must
// be written for the version; of what a regular expression or the whole catalogue has besides, each lane
// says that it leaves it out.
func mutations(asked, version string) ([]mutation.Mutation, error) {
	all := mutation.All()
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	choice, err := chooser(asked, names)
	if err != nil {
		return nil, err
	}
	var some []mutation.Mutation
	fit := 0
	for _, m := range all {
		if !choice.chosen(m.Name) {
			continue
		}
		some = append(some, m)
		switch {
		case m.Versions.Contains(version):
			fit++
		case choice.listed:
			return nil, fmt.Errorf(
				"--mutants=%s: %s is for kubelets %s, not for %s: leave it out, or choose another --version", asked,
				m.Name, m.Versions, version)
		}
	}
	if fit == 0 {
		return nil, fmt.Errorf("--mutants=%s: no mutation for kubelets of %s is called so; the mutations are %s", asked,
			version, strings.Join(names, ", "))
	}
	return some, nil
}

// choice is which mutations are asked for; listed, each by its name.
type choice struct {
	chosen func(name string) bool
	listed bool
}

// chooser reads names or a regular expression for them. A list of which each is a name is taken for names:
// one may be the beginning of another.
func chooser(asked string, names []string) (choice, error) {
	if asked == "" {
		return choice{chosen: func(string) bool { return true }}, nil
	}
	var listed, unknown []string
	for part := range strings.SplitSeq(asked, ",") {
		part = strings.TrimSpace(part)
		if slices.Contains(names, part) {
			listed = append(listed, part)
		} else {
			unknown = append(unknown, part)
		}
	}
	switch {
	case len(unknown) == 0:
		return choice{func(name string) bool { return slices.Contains(listed, name) }, true}, nil
	case len(listed) > 0:
		return choice{}, fmt.Errorf("--mutants=%s: there is no mutation %s; the mutations are %s", asked,
			strings.Join(unknown, ", "), strings.Join(names, ", "))
	}
	expression, err := regexp.Compile(asked)
	if err != nil {
		return choice{}, fmt.Errorf("--mutants=%s is neither a list of mutations nor a regular expression: %w", asked,
			err)
	}
	return choice{chosen: expression.MatchString}, nil
}

// takeProfile chooses the trials.
func (o *Options) takeProfile(asked string, catalogue []trial.Trial) error {
	o.Profile = session.Full
	if asked != "" {
		o.Profile = session.Profile(asked)
	}
	if o.Profile != session.Full && o.Profile != session.Quick {
		return fmt.Errorf("--profile=%s: it is %s or %s", asked, session.Quick, session.Full)
	}
	for _, t := range catalogue {
		if o.Profile.Holds(t) {
			o.Trials = append(o.Trials, t)
		}
	}
	return nil
}
