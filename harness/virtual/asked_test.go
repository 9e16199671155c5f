package virtual

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// play makes the nodes of a test follow a script, and returns the requests that they got.
func play(t *testing.T, script string) (Program, func() []asked) {
	t.Helper()
	log := t.TempDir() + "/asked"
	t.Setenv(envScript, script)
	t.Setenv(envLog, log)
	return Program{Name: "virtual:v1.36.3", Binary: os.Args[0]}, func() []asked {
		file, err := os.Open(log)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		defer func() { _ = file.Close() }()
		var all []asked
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var a asked
			NewWithT(t).Expect(json.Unmarshal(lines.Bytes(), &a)).To(Succeed())
			all = append(all, a)
		}
		return all
	}
}

// asked is one request that a fake node got.
type asked struct {
	Clock   int64
	Request wire.Request
	Folder  string
}

// kinds returns the kinds of requests, without Advance.
func kinds(all []asked) []string {
	var names []string
	for _, a := range all {
		if k := kind(a.Request); k != "advance" {
			names = append(names, k)
		}
	}
	return names
}

// find returns the n-th request of a kind, from 1.
func find(t *testing.T, all []asked, what string, n int) asked {
	t.Helper()
	for _, a := range all {
		if kind(a.Request) == what {
			if n--; n == 0 {
				return a
			}
		}
	}
	t.Fatalf("no %s was asked for", what)
	return asked{}
}

// kind names a request.
func kind(r wire.Request) string {
	if r.API != nil {
		name := strings.ToLower(r.API.Method + " " + r.API.Resource + " " + r.API.Subresource)
		return cmp.Or(map[string]string{
			"delete pods ": "delete", "post pods eviction": "evict", "post pods binding": "bind",
			"patch pods ": "patch", "put nodes ": "taint", "post poddisruptionbudgets ": "budget",
			"post configmaps ": "config map",
		}[name], name)
	}
	text, _ := json.Marshal(r)
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(text, &fields)
	for name := range fields {
		return name
	}
	return ""
}

// decoded returns the body of a request to the API server.
func decoded[T any](r wire.API) (body T) {
	if err := json.Unmarshal(r.Body, &body); err != nil {
		panic(err)
	}
	return body
}
