package gosource

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestSameIgnoresCommentsAndFormatting(t *testing.T) {
	const code = "func f(a int) int {\n\tif a > 1 {\n\t\treturn g(a, 2)\n\t}\n\treturn 0\n}\n"
	for what, c := range map[string]struct {
		other string
		same  bool
	}{
		"itself": {code, true},
		"comments": {"func f(a int) int { // 1\n\tif a > 1 { /* 2\n*/ return g(a, 2) }\n\n// 3\n" +
			"return 0 }", true},
		"a call in lines":    {"func f(\na int,\n) int { if a > 1 { return g(\na,\n2,\n) }\nreturn 0\n}", true},
		"another number":     {"func f(a int) int {\n\tif a > 2 {\n\t\treturn g(a, 2)\n\t}\n\treturn 0\n}\n", false},
		"another name":       {"func f(b int) int {\n\tif b > 1 {\n\t\treturn g(b, 2)\n\t}\n\treturn 0\n}\n", false},
		"one statement less": {"func f(a int) int {\n\treturn 0\n}\n", false},
		"another text":       {"func f(a int) int { if a > 1 { return g(a, \"2\") }; return 0 }", false},
	} {
		t.Run(what, func(t *testing.T) {
			g := NewWithT(t)
			same, err := Same([]byte(code), []byte(c.other))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(same).To(Equal(c.same))
		})
	}
	_, err := Same([]byte(code), []byte(`"`))
	NewWithT(t).Expect(err).To(HaveOccurred())
}
