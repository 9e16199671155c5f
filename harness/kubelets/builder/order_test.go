package builder

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/rules/formula"
)

// bubble prints what Go leaves to chance: the order of maps, timers, selects and goroutines, and random numbers.
const bubble = `package bubble

import (
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func Test(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		large, small := map[int]bool{}, map[string]bool{"a": true, "b": true, "c": true}
		for i := range 40 {
			large[i] = true
		}
		for i := range large {
			fmt.Print(i, " ")
		}
		for name := range small {
			fmt.Print(name, " ")
		}
		var group sync.WaitGroup
		var mutex sync.Mutex
		for i := range 20 {
			group.Go(func() {
				time.Sleep(time.Second)
				for range 3 {
					mutex.Lock()
					for end := 0; end < 1_000_000; end++ { // for as long as a mutex waits before it prefers one
					}
					fmt.Print(i, " ", rand.Float64(), " ", randv2.IntN(1000), " ")
					mutex.Unlock()
				}
			})
		}
		group.Wait()
		one, two, three := make(chan int, 9), make(chan int, 9), make(chan int, 9)
		for range 9 {
			one <- 1
			two <- 2
			three <- 3
		}
		for range 27 {
			select {
			case i := <-one:
				fmt.Print(i)
			case i := <-two:
				fmt.Print(i)
			case i := <-three:
				fmt.Print(i)
			}
		}
		fmt.Println()
	})
}
`

// It compiles Go's standard library, once.
func TestBubblesHaveOneOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles Go's standard library")
	}
	g := NewWithT(t)
	s := kubelets.Subject{Virtual: true, Version: formula.Versions()[0]}
	r, err := newRecipe(t.Context(), s, "", podclockSource)
	g.Expect(err).NotTo(HaveOccurred())
	work := t.TempDir()
	overlay, err := r.overlay(t.Context(), work)
	g.Expect(err).NotTo(HaveOccurred())
	for name, content := range map[string]string{"go.mod": "module bubble\n\ngo 1.26\n", "bubble_test.go": bubble} {
		g.Expect(os.WriteFile(filepath.Join(work, name), []byte(content), 0o600)).To(Succeed())
	}
	distinct := func(flags ...string) map[string]bool {
		args := append([]string{"test", "-trimpath", "-c", "-o", "bubble.test"}, flags...)
		out, err := r.goCommand(t.Context(), work, append(args, ".")...).CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
		all := map[string]bool{}
		for range 5 {
			program := filepath.Join(work, "bubble.test")
			command := exec.CommandContext(t.Context(), program, "-test.v", "-test.run=^Test$")
			command.Env = append(os.Environ(), "GOMAXPROCS=1")
			printed, err := command.Output()
			g.Expect(err).NotTo(HaveOccurred())
			_, line, _ := strings.Cut(string(printed), "\n") // after === RUN
			line, _, _ = strings.Cut(line, "\n")
			all[line] = true
		}
		return all
	}
	g.Expect(distinct("-overlay", overlay)).To(HaveLen(1))
	g.Expect(len(distinct())).To(BeNumerically(">", 1), "this test can fail")
}
