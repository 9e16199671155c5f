package manifest

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

var update = flag.Bool("update", false, "write kinds.txt instead of comparing with it")

// TestKinds compares the kinds with those of client-go. Kinds that make pods, and lists, must be the same types.
func TestKinds(t *testing.T) {
	if *update {
		NewWithT(t).Expect(os.WriteFile("kinds.txt", []byte(otherKindsOfClientGo()), 0o644)).To(Succeed())
		t.Skip("kinds.txt is written: run the test again")
	}
	g := NewWithT(t)
	theirs := scheme.Scheme.AllKnownTypes()
	for kind := range theirs {
		g.Expect(kinds.Recognizes(kind)).To(BeTrue(), "%s: write it with: go test -update", kind)
		g.Expect(kinds.IsGroupRegistered(kind.Group)).To(BeTrue(), kind.Group)
		own, err := kinds.New(kind)
		g.Expect(err).NotTo(HaveOccurred())
		their, err := scheme.Scheme.New(kind)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(meta.IsListType(own)).To(Equal(meta.IsListType(their)), "%s", kind)
		if mayMakePods(kind, their) {
			g.Expect(reflect.TypeOf(own)).To(Equal(reflect.TypeOf(their)), "%s", kind)
		}
	}
	for kind := range kinds.AllKnownTypes() {
		g.Expect(theirs).To(HaveKey(kind), "client-go lacks it: remove it with: go test -update")
	}
}

// otherKindsOfClientGo returns the kinds of client-go in the groups without workloads, in order.
func otherKindsOfClientGo() string {
	own := runtime.NewScheme()
	for _, add := range withWorkloads {
		if err := add(own); err != nil {
			panic(err)
		}
	}
	every, anyVersion := runtime.NewScheme(), schema.GroupVersion{Group: "any", Version: "v1"}
	metav1.AddToGroupVersion(every, anyVersion)
	inVersion := map[schema.GroupVersion][]string{}
	for kind := range scheme.Scheme.AllKnownTypes() {
		version, inEvery := kind.GroupVersion(), every.Recognizes(anyVersion.WithKind(kind.Kind))
		if !own.IsVersionRegistered(version) && version.Version != runtime.APIVersionInternal && !inEvery {
			inVersion[version] = append(inVersion[version], kind.Kind)
		}
	}
	var lines []string
	for version, all := range inVersion {
		slices.Sort(all)
		lines = append(lines, fmt.Sprintf("%s %s\n", version, strings.Join(all, " ")))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Objects that make no pods are not decoded, so nothing in them can be wrong. Lists of them are no exception.
func TestListsWithoutPodsAreNotDecoded(t *testing.T) {
	for _, list := range []string{
		"apiVersion: networking.k8s.io/v1\nkind: IngressList\nitems: [{spec: {}}, {not: read}]\n",
		"apiVersion: extensions/v1beta1\nkind: IngressList\nitems: [{spec: {}}, {not: read}]\n",
	} {
		m, err := read(list, "")
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(m.Skipped).To(Equal([]Skipped{{Kind: "Ingress", Count: 2}}))
	}
}
