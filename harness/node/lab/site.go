package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/internal/watch"
)

// site is the cluster with its recorders and watches, as the attempts use it.
type site struct {
	*runner.Selections
	options Options
	client  *resources.Resources
	// server is for what the client can't do: watches, streams and raw paths.
	server     *kubernetes.Clientset
	nodes      map[string]*node // by name
	pods       *watch.Pods
	events     *watch.Events
	conditions *watch.Conditions // of the nodes
	endpoints  *watch.Endpoints
	api        *apiAnswers
	logs       sync.Mutex // one search of a node's log at a time
	opened     time.Time
	// lowest is the priority class of pods on nodes of others, or empty.
	lowest   string
	watching sync.WaitGroup
	// undecided has the trials that wait for their last attempts.
	undecided struct {
		sync.Mutex
		all []*runner.Attempts
	}
	// ctx ends with Close, with the context given to Open, or when the API server is away for too long.
	ctx  context.Context
	stop context.CancelCauseFunc
}

func (l *site) log(format string, args ...any) {
	_, _ = fmt.Fprintf(l.options.Log, format+"\n", args...)
}

func (l *site) abandon(n *node, why error) {
	if n.become(abandoned, why.Error()) != abandoned {
		l.log("node %s is not used any more: %v", n.name, why)
	}
}

func (l *site) subject(name string) Placement {
	i := slices.IndexFunc(l.options.Subjects, func(s Placement) bool { return s.Name == name })
	if i < 0 {
		return Placement{Name: name}
	}
	return l.options.Subjects[i]
}

// underCPUPressure reports whether some task of the host waited for a core in more than this share of the last seconds.
func (l *site) underCPUPressure(share float64) bool {
	var newest []delay.Sample
	for _, n := range l.nodes {
		n.mu.Lock()
		samples := n.delayed.PSI
		n.mu.Unlock()
		if len(samples) > 1 && (newest == nil || samples[len(samples)-1].At > newest[len(newest)-1].At) {
			newest = samples
		}
	}
	return delay.Pressure(newest, time.Now()) > share
}
