package victim

import (
	"fmt"
	"strings"
)

// Scripts says what the probes of one kind are answered, life by life, as text: one letter per probe, '/'
// between lives. The last letter of a life repeats, and the last life's script holds for all later lives.
// So "SSF/F" succeeds twice and then fails in the first life, and always fails in every later one. The
// empty Scripts answers S always.
//
// It is text, so that a trial, the pod's spec and a report show the same letters. Validate it before asking
// it anything.
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
	// Error breaks the probe itself, which the kubelet does not count: for HTTP a body that never comes.
	// Exec, TCP and gRPC have no such answer.
	Error Answer = 'E'
	// Redirect sends an HTTP prober to another path of the same host, which answers well.
	Redirect Answer = 'R'
	// RedirectToFailure sends it to one that answers that all is not well. Only a prober that follows tells
	// the two apart.
	RedirectToFailure Answer = 'D'
	// RedirectAway sends an HTTP prober to another host (ElsewhereURL), where the kubelet does not follow:
	// a success, with a warning.
	RedirectAway Answer = 'W'
	// NotFound answers an HTTP prober that nothing is there (404): the caller's fault by its class, and a
	// failure like any other.
	NotFound Answer = 'N'
)

// ElsewhereURL is where RedirectAway points: an address of TEST-NET-1 (RFC 5737), where nobody is.
const ElsewhereURL = "http://192.0.2.1/"

const (
	answers = "SFHLERDWN"
	// httpOnly are the answers that no other handler has.
	httpOnly = "ERDWN"
)

// String is the letter.
func (a Answer) String() string { return string(rune(a)) }

// Fails says whether the kubelet counts a probe with this answer as a failure: one that says so, here or
// where it redirects to, and one that was not answered. A slow answer is one or the other by its prober's
// timeout, and counts as a success here.
func (a Answer) Fails() bool {
	return a == Fail || a == Hang || a == RedirectToFailure || a == NotFound
}

// HTTPOnly says whether only an HTTP probe can have this answer.
func (a Answer) HTTPOnly() bool { return strings.ContainsRune(httpOnly, rune(a)) }

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
			return fmt.Errorf(
				"script %q: life %d is empty; write S for a life whose probes always succeed", string(s), i+1,
			)
		}
		for at, letter := range script {
			if !strings.ContainsRune(answers, letter) {
				return fmt.Errorf(
					"script %q: %q, letter %d of life %d, is no answer; the answers are S (succeed), F (fail), H (hang), L (slow), "+
						"E (error), R (redirect), D (redirect to failure), W (redirect away) and N (not found)",
					string(s),
					letter,
					at+1,
					i+1,
				)
			}
		}
	}
	return nil
}

// Has says whether any life's script holds the answer.
func (s Scripts) Has(a Answer) bool { return strings.ContainsRune(string(s), rune(a)) }

// hasHTTPOnly says whether any life's script holds an answer that only an HTTP probe can have.
func (s Scripts) hasHTTPOnly() bool { return strings.ContainsAny(string(s), httpOnly) }

// atLife is the entry for a life, of a list with one entry per life whose last holds for all later ones.
func atLife[T any](perLife []T, life int) T {
	return perLife[min(max(life, 1), len(perLife))-1]
}
