package rounds

import (
	"context"
	"io"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
)

// kindBase is the least kind configuration.
const kindBase = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"

// parsed reads a configuration from variables, as the program does.
func parsed(environment map[string]string) (session.Config, error) {
	c := session.Config{KindBase: []byte(kindBase)}
	set := pflag.NewFlagSet("rounds", pflag.ContinueOnError)
	c.AddFlags(set)
	c.AddSelectionFlags(set)
	err := option.ReadEnvironment(set,
		func(name string) (string, bool) { return environment[name], environment[name] != "" })
	if err != nil {
		return c, err
	}
	return c.Resolve()
}

func TestRoundsKeepTheCluster(t *testing.T) {
	for name, c := range map[string]struct {
		environment     map[string]string
		booted, between bool
		deleted         int
	}{
		"its own":          {map[string]string{}, true, true, 1},
		"an earlier run's": {map[string]string{}, false, true, 0},
		"to be kept":       {map[string]string{"KEEP": "1"}, true, true, 0},
		"no cluster":       {map[string]string{"SUBJECTS": "virtual:v1.36.3"}, false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config, err := parsed(c.environment)
			g.Expect(err).NotTo(HaveOccurred())
			r := New(Series{Config: config}, session.Program{Log: io.Discard})
			g.Expect(forRounds(config).Keep).To(Equal(c.between))
			first, deleted := true, 0
			r.Play = func(context.Context, session.During) (run.Run, bool, error) {
				booted := c.booted && first
				first = false
				return run.Run{}, booted, nil
			}
			r.Down = func(ctx context.Context) error { deleted++; return ctx.Err() }
			ctx, interrupt := context.WithCancel(t.Context())
			for range 2 {
				_, err := r.Next(ctx, nil)
				g.Expect(err).NotTo(HaveOccurred())
			}
			interrupt()
			g.Expect(r.End(ctx)).To(Succeed(), "after an interrupt as well")
			g.Expect(r.End(ctx)).To(Succeed())
			g.Expect(deleted).To(Equal(c.deleted))
		})
	}
}
