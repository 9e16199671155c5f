package cli

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
)

// set returns the values of the flags that were set, by variable.
func set(flags *pflag.FlagSet) map[string]string {
	values := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if name := option.VariableOf(f); name != "" && f.Changed {
			values[name] = f.Value.String()
		}
	})
	return values
}

// asked reads the flags of a run and an environment.
func asked(environment map[string]string, args ...string) (*pflag.FlagSet, error) {
	return readFlags(tested.run(), environment, args...)
}

func readFlags(command *cobra.Command, environment map[string]string, args ...string) (*pflag.FlagSet, error) {
	flags := command.Flags()
	if err := flags.Parse(args); err != nil {
		return flags, err
	}
	return flags, option.ReadEnvironment(flags,
		func(name string) (string, bool) { value, set := environment[name]; return value, set })
}

func TestVariablesSetFlagsThatAreNotGiven(t *testing.T) {
	for name, tt := range map[string]struct {
		environment map[string]string
		args        []string
		want        map[string]string
	}{
		"nothing":    {nil, nil, map[string]string{}},
		"empty ones": {map[string]string{"SUBJECTS": "", "KEEP": "", "LANE": ""}, nil, map[string]string{}},
		"variables": {map[string]string{"SUBJECTS": "v1.35.4", "KEEP": "1", "HOME": "/"}, nil,
			map[string]string{"SUBJECTS": "v1.35.4", "KEEP": "true"}},
		"flags": {nil, []string{"--subjects=v1.35.4", "--keep", "--lane=virtual"},
			map[string]string{"SUBJECTS": "v1.35.4", "KEEP": "true", "LANE": "virtual"}},
		"a flag overrides its variable": {map[string]string{"SUBJECTS": "v1.35.4", "PROFILE": "full"},
			[]string{"--subjects=v1.34.4"}, map[string]string{"SUBJECTS": "v1.34.4", "PROFILE": "full"}},
		"a flag that is empty": {map[string]string{"FOCUS": "grace"}, []string{"--focus="},
			map[string]string{"FOCUS": ""}},
		"a switch turned off": {map[string]string{"KEEP": "1"}, []string{"--keep=false"},
			map[string]string{"KEEP": "false"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			flags, err := asked(tt.environment, tt.args...)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(set(flags)).To(Equal(tt.want))
		})
	}
}

func TestInvalidVariables(t *testing.T) {
	for says, environment := range map[string]map[string]string{
		"KEEP=maybe, which stands for --keep: ":                                 {"KEEP": "maybe"},
		"LANE=node-ish, which stands for --lane: it must be node or virtual":    {"LANE": "node-ish"},
		"PROFILE=nightly, which stands for --profile: it must be quick or full": {"PROFILE": "nightly"},
		"DRY_RUN=perhaps, which stands for --dry-run: strconv.ParseBool: par":   {"DRY_RUN": "perhaps"},
	} {
		_, err := asked(environment)
		NewWithT(t).Expect(err).To(MatchError(HavePrefix(says)))
	}
}

// TestErrorsNameTheFlagOrTheVariable expects the name that the user wrote.
func TestErrorsNameTheFlagOrTheVariable(t *testing.T) {
	g := NewWithT(t)
	resolve := func(environment map[string]string, args ...string) error {
		flags, err := asked(environment, args...)
		g.Expect(err).NotTo(HaveOccurred())
		return option.AsGiven(flags, option.Invalid("cluster", "My_Cluster", "it is wrong"))
	}
	g.Expect(resolve(nil, "--cluster=My_Cluster")).To(MatchError("--cluster=My_Cluster: it is wrong"))
	g.Expect(resolve(map[string]string{"CLUSTER": "My_Cluster"}, "--profile=full")).
		To(MatchError("CLUSTER=My_Cluster: it is wrong"))
	g.Expect(option.AsGiven(nil, nil)).To(Succeed())
}

// TestOneVariableIsOneFlag expects that every variable of the Makefile is a flag of its command with one name.
func TestOneVariableIsOneFlag(t *testing.T) {
	g := NewWithT(t)
	flagOf := map[string]string{}
	each(func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name := option.VariableOf(f)
			if name == "" {
				return
			}
			if known, met := flagOf[name]; met {
				g.Expect(f.Name).To(Equal(known), "%s of %s", name, c.Name())
			}
			flagOf[name] = f.Name
			g.Expect(f.Usage).To(HaveSuffix("[" + name + "]"))
		})
	})
	for _, name := range []string{"SUBJECTS", "LANE", "PROFILE", "FOCUS", "SKIP", "LABELS", "DRY_RUN", "KEEP",
		"NODE_IMAGE", "CLUSTER", "KIND_CONFIG", "OUT", "N", "COPIES", "DISTURBANCES",
		"MUTANTS", "SCENARIOS", "KINDS", "VERSION", "WITHIN", "AT_LEAST", "RECORD", "UNMET"} {
		g.Expect(flagOf).To(HaveKey(name))
	}
}
