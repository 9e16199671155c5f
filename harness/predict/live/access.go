package live

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the ways to log in that kubectl has
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/podclock/podclock/harness/host/kubeconfig"
)

// Access is where a cluster is, and what to read there.
type Access struct {
	kubeconfig.Access
	// Configured is set if nobody needs the configuration of kubelets.
	Configured bool
}

// answersWithin is how long the API server has for one answer.
const answersWithin = 5 * time.Second

// requestsPerSecond is more than this package sends. The API server has limits of its own.
const requestsPerSecond = 1000

// mostAtOnce is how much is read at once.
const mostAtOnce = 16

// Server is an API server. It is read by client-go alone: klient asks for the API's resources first, which takes longer
// than what a prediction reads.
type Server struct {
	*kubernetes.Clientset
	// mapper asks the API server for all its resources, once somebody needs them.
	mapper meta.RESTMapper
	access Access
	target kubeconfig.Target
	dates  *dates
}

// Connect reads the kubeconfig. It sends nothing.
func (a Access) Connect() (*Server, error) {
	target, err := a.Load()
	if err != nil {
		return nil, err
	}
	s := &Server{access: a, target: target, dates: &dates{}}
	s.access.Namespace = target.Namespace
	c := target.Config
	c.Timeout, c.QPS, c.Burst = answersWithin, requestsPerSecond, requestsPerSecond
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { s.dates.next = next; return s.dates })
	c.WarningHandler = rest.NoWarnings{}
	if s.Clientset, err = kubernetes.NewForConfig(c); err != nil {
		return nil, fmt.Errorf("use context %s of the kubeconfig: %w", target.Context, err)
	}
	known := memory.NewMemCacheClient(s.Discovery())
	s.mapper = restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(known), known, nil)
	return s, nil
}

// Explain adds the cause and a remedy to a request's error. verb and right are such as "get" and "pods".
func (s *Server) Explain(err error, verb, right, namespace string) error {
	where, in := "", ""
	if namespace != "" {
		where, in = " in namespace "+namespace, " -n "+namespace
	}
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("the user of context %s lacks the right to %s %s%s: `kubectl auth can-i %s %s%s` checks it",
			s.target.Context, verb, right, where, verb, right, in)
	}
	if explained := s.target.Explain(err); explained != nil || err == nil {
		return explained
	}
	return fmt.Errorf("%s %s%s: %w", verb, right, where, err)
}

// missing explains that an object does not exist.
func (s *Server) missing(n Name) error {
	var at []string
	if s.access.Context != "" {
		at = []string{"--context=" + s.access.Context}
	}
	at = append(at, "-n "+s.access.Namespace)
	return fmt.Errorf("there is no %s %s in namespace %s of context %s: `kubectl get %s %s` lists them, and -n names "+
		"another namespace", strings.ToLower(n.kind.kind), n.name, s.access.Namespace, s.target.Context, n.kind.right(),
		strings.Join(at, " "))
}

// dates compares this machine's clock with the API server's, which dates its answers in whole seconds.
type dates struct {
	next http.RoundTripper

	lock  sync.Mutex
	ahead time.Duration
}

// RoundTrip sends a request.
func (d *dates) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := d.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		const half = time.Second / 2
		d.lock.Lock()
		d.ahead = time.Since(at.Add(half))
		d.lock.Unlock()
	}
	return answer, nil
}

// WrappedRoundTripper lets client-go cancel a request.
func (d *dates) WrappedRoundTripper() http.RoundTripper { return d.next }

// mostAhead is the largest difference of two clocks that the times of this package do not show.
const mostAhead = 2 * time.Second

// now returns the time by the API server's clock, and a sentence if this machine's clock differs.
func (d *dates) now() (time.Time, string) {
	d.lock.Lock()
	defer d.lock.Unlock()
	now := time.Now()
	if d.ahead.Abs() <= mostAhead {
		return now, ""
	}
	which := "ahead of"
	if d.ahead < 0 {
		which = "behind"
	}
	return now.Add(-d.ahead), fmt.Sprintf("This machine's clock is %v %s the API server's: times are by the API "+
		"server's.", d.ahead.Abs().Round(time.Second), which)
}

// Now returns the time by the API server's clock, and a sentence if this machine's clock differs. An answer must have
// come before.
func (s *Server) Now() (time.Time, string) { return s.dates.now() }

// Namespace is that of the objects.
func (s *Server) Namespace() string { return s.access.Namespace }

// Context names the cluster.
func (s *Server) Context() string { return s.target.Context }

// Streaming returns a client for watches and logs, whose answers last.
func (s *Server) Streaming() (*kubernetes.Clientset, error) {
	c := rest.CopyConfig(s.target.Config)
	c.Timeout = 0
	return kubernetes.NewForConfig(c)
}
