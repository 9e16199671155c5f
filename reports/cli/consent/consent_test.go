package consent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/podclock/podclock/harness/host/kubeconfig/discovered"
	"github.com/podclock/podclock/reports/cli/shell"
)

// clean runs the command on a cluster with these namespaces, or one that refuses everything.
func clean(t *testing.T, spaces []corev1.Namespace, refusal *apierrors.StatusError, args ...string) (string, int) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var answer any = map[string]any{}
		switch {
		case refusal != nil:
			w.WriteHeader(int(refusal.ErrStatus.Code))
			answer = refusal.Status()
		case discovered.Answer(r.URL.Path) != nil:
			answer = discovered.Answer(r.URL.Path)
		case r.URL.Path == "/api/v1/namespaces":
			answer = corev1.NamespaceList{Items: spaces}
		case strings.Contains(r.URL.Path, "/priorityclasses/"):
			w.WriteHeader(http.StatusNotFound)
			answer = apierrors.NewNotFound(schema.GroupResource{}, "x").Status()
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "config")
	g.Expect(os.WriteFile(file, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"prod",
		"clusters":[{"name":"c","cluster":{"server":%q}},{"name":"gone","cluster":{"server":"http://127.0.0.1:1"}}],
		"users":[{"name":"u","user":{"token":"t"}}],"contexts":[{"name":"prod","context":{"cluster":"c","user":"u"}},
		{"name":"gone","context":{"cluster":"gone","user":"u"}}]}`, server.URL), 0o600)).To(Succeed())
	var out bytes.Buffer
	c := Clean()
	c.SetArgs(append([]string{"--kubeconfig=" + file, "--yes"}, args...))
	c.SetOut(&out)
	c.SilenceUsage, c.SilenceErrors = true, true
	code := shell.ExitCode(c.ExecuteContext(t.Context()), &out)
	return out.String(), code
}

func TestCleanOfAClusterWithNothingLeft(t *testing.T) {
	g := NewWithT(t)
	said, code := clean(t, nil, nil)
	g.Expect(said).To(Equal("Context prod has nothing to clean.\n"))
	g.Expect(code).To(Equal(0))
}

// A namespace that waits for a finalizer needs somebody. One that was deleted just now does not.
func TestCleanOfNamespacesThatAreBeingDeleted(t *testing.T) {
	g := NewWithT(t)
	now := metav1.Now()
	ending := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "podclock-a", DeletionTimestamp: &now}}
	said, code := clean(t, []corev1.Namespace{ending}, nil)
	g.Expect(said).To(Equal("Being deleted already: podclock-a\nContext prod has nothing to clean.\n"))
	g.Expect(code).To(Equal(0))

	kept := ending
	kept.Name, kept.Finalizers = "podclock-b", []string{"example.com/hold"}
	said, code = clean(t, []corev1.Namespace{kept}, nil)
	g.Expect(said).To(Equal("Being deleted already: podclock-b waits: it has the finalizer example.com/hold\n"))
	g.Expect(code).To(Equal(1))

	left := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "podclock-c"}}
	said, code = clean(t, []corev1.Namespace{kept, left}, nil)
	g.Expect(said).To(HaveSuffix("To delete in context prod: namespace podclock-c\n"))
	g.Expect(code).To(Equal(1), "podclock-b is still there")
}

func TestCleanThatCannotAsk(t *testing.T) {
	g := NewWithT(t)
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "", nil)
	for says, c := range map[string]struct {
		refusal *apierrors.StatusError
		context string
	}{
		`no context "other": ` + "`kubectl config get-contexts`":       {nil, "other"},
		"http://127.0.0.1:1 of context gone cannot be asked":           {nil, "gone"},
		"refuses the credentials of context prod: they may have expir": {apierrors.NewUnauthorized(""), "prod"},
		"`podclock rbac` prints the rights":                            {forbidden, "prod"},
	} {
		said, code := clean(t, nil, c.refusal, "--context="+c.context)
		g.Expect(said).To(And(HavePrefix("podclock: "), ContainSubstring(says)))
		g.Expect(code).To(Equal(2))
	}
}
