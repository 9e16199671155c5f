package victim

import (
	"fmt"
	"strings"
)

// Scripts says what the probes of one kind are answered, life by life, as text: one letter per probe, '/' between lives. The last
// letter of a life repeats, and the last life's script holds for all later lives. So "SSF/F" succeeds twice and then fails in the
// first life, and always fails in every later one. The empty Scripts answers S always.
//
// It is text, so that a trial, the pod's spec and a report show the same letters. Validate it before asking it anything.
type Scripts string

// Answer is a letter of a script.
type Answer byte

const (
	// Succeed answers at once, and well.
	Succeed Answer = 'S'
	// Fail answers at once that all is not well.
	Fail Answer = 'F'
	// Hang never answers.
	Hang Answer = 'H'
	// SlowAnswer succeeds after Run.Slow. A TCP probe, which is over with the handshake, has no such answer.
	SlowAnswer Answer = 'L'
	// Error breaks the probe itself, which the kubelet does not count: for HTTP a body that never comes. Exec, TCP and gRPC have no
	// such answer.
	Error Answer = 'E'
)

const answers = "SFHLE"

// String is the letter.
func (a Answer) String() string { return string(rune(a)) }

// At is the answer to probe number index (from 0) of the given life (from 1). A life below 1 counts as the first.
func (s Scripts) At(life, index int) Answer {
	if s == "" {
		return Succeed
	}
	script := atLife(strings.Split(string(s), "/"), life)
	return Answer(script[min(index, len(script)-1)])
}

// Validate says what is wrong with the text: a letter that is none, or a life without letters.
func (s Scripts) Validate() error {
	if s == "" {
		return nil
	}
	for i, script := range strings.Split(string(s), "/") {
		if script == "" {
			return fmt.Errorf("script %q: life %d is empty; write S for a life whose probes always succeed", string(s), i+1)
		}
		for at, letter := range script {
			if !strings.ContainsRune(answers, letter) {
				return fmt.Errorf("script %q: %q, letter %d of life %d, is no answer; the answers are S (succeed), F (fail), H (hang), L (slow) and E (error)",
					string(s), letter, at+1, i+1)
			}
		}
	}
	return nil
}

// Has says whether any life's script holds the answer.
func (s Scripts) Has(a Answer) bool { return strings.ContainsRune(string(s), rune(a)) }

// atLife is the entry for a life, of a list with one entry per life whose last holds for all later ones.
func atLife[T any](perLife []T, life int) T {
	return perLife[min(max(life, 1), len(perLife))-1]
}
