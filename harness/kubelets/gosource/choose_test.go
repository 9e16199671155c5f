package gosource

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

const several = `package main

import (
	"fmt"
	"os"
)

type counter struct{ n int }

// add has a comment.
func (c *counter) add(by int, more ...int) {
	c.n += by
	for _, m := range more { c.n += m }
}

func (counter) unit(_ string, int2 int) (s string) { return "s" }

func first[T any](all []T, _ int) (T, error) { return all[0], nil }

func double(int) int { return 2 }

var start = 1

func main() {
	c := counter{start}
	c.add(1, 10, 100)
	f, _ := first([]string{"a", "b"}, 0)
	fmt.Println(c.n, c.unit("", 0), f, double(0), len(os.Args))
}
`

func choices() []Choice {
	return []Choice{
		Replacing("by-two", "counter.add", "c.n += by", "c.n += 2 * by"),
		Replacing("no-more", "counter.add", "c.n += m", "_ = m"),
		Replacing("minutes", "counter.unit", `"s"`, `"min"`),
		Replacing("second", "first", "all[0]", "all[1]"),
		Replacing("three", "double", "2", "3"),
	}
}

// Each choice changes what the program prints as its own replacement would.
func TestChooseSelectsOneChangeWhileTheProgramRuns(t *testing.T) {
	g := NewWithT(t)
	source, err := Choose("pkg/some-file.go", []byte(several), "CHOICE", choices())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(strings.SplitN(string(source), "\nvar chosenIn", 2)[0], "\n")).
		To(Equal(strings.Count(several, "\n")), "lines keep their numbers")
	together := compiled(t, source)
	for _, c := range append(choices(), Choice{Name: "none-of-them"}) {
		t.Run(c.Name, func(t *testing.T) {
			g := NewWithT(t)
			alone := []byte(several)
			if c.Within != "" {
				alone, err = c.Change(alone)
				g.Expect(err).NotTo(HaveOccurred())
			}
			want, err := exec.Command(compiled(t, alone)).Output()
			g.Expect(err).NotTo(HaveOccurred())
			run := exec.Command(together)
			run.Env = append(os.Environ(), "CHOICE="+c.Name)
			got, err := run.Output()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(got)).To(Equal(string(want)))
			if c.Within != "" {
				g.Expect(string(got)).NotTo(Equal("112 s a 2 1\n"), "the choice changes what is printed")
			}
		})
	}
}

func compiled(t *testing.T, source []byte) string {
	g := NewWithT(t)
	folder := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(folder, "main.go"), source, 0o600)).To(Succeed())
	program := filepath.Join(folder, "program")
	out, err := exec.Command("go", "build", "-o", program, filepath.Join(folder, "main.go")).CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	return program
}

func TestChooseRefusesWhatCannotBeChosen(t *testing.T) {
	for what, c := range map[string]struct {
		choice Choice
		says   string
	}{
		"a variable":        {Replacing("x", "start", "1", "2"), "x: start is no function of the file"},
		"no such function":  {Replacing("x", "gone", "1", "2"), "gone is no function"},
		"code that is gone": {Replacing("x", "double", "7", "8"), `x: "7" occurs 0 times`},
	} {
		t.Run(what, func(t *testing.T) {
			g := NewWithT(t)
			_, err := Choose("main.go", []byte(several), "CHOICE", []Choice{c.choice})
			g.Expect(err).To(MatchError(ContainSubstring(c.says)))
		})
	}
}
