package victim

import (
	"fmt"
	"strings"
)

// Scripts holds the answers to the probes of one kind: one letter per probe, '/' between lives. The last letter of
// a life repeats, and the last life's script holds for all later lives. "SSF/F" succeeds twice and then fails in
// the first life, and always fails later. "" always answers S. Validate it before use.
type Scripts string

// Answer is a letter of a script.
type Answer byte

// The answers. Succeed and Fail come at once, Hang never comes.
const (
	Succeed Answer = 'S'
	Fail    Answer = 'F'
	Hang    Answer = 'H'
	// SlowAnswer succeeds after Run.Slow. TCP has no such answer.
	SlowAnswer Answer = 'L'
	// Error breaks the probe itself, which the kubelet does not count: an HTTP body that never comes.
	Error Answer = 'E'
	// Redirect sends an HTTP prober to a path of the same host that succeeds.
	Redirect Answer = 'R'
	// RedirectToFailure sends it to one that fails.
	RedirectToFailure Answer = 'D'
	// RedirectToPort sends it to a port of the same host where nobody listens (ClosedPort): a failure.
	RedirectToPort Answer = 'P'
	// RedirectAway sends an HTTP prober to ElsewhereURL. The kubelet does not follow: a success, with a warning.
	RedirectAway Answer = 'W'
	// RedirectLoop sends an HTTP prober on for ever. The kubelet gives up after ten redirects: a failure.
	RedirectLoop Answer = 'O'
	// NotFound answers with HTTP status 404 or gRPC status NOT_FOUND: a failure like any other.
	NotFound Answer = 'N'
	// Unimplemented answers with HTTP status 501 or gRPC status UNIMPLEMENTED: a failure like any other.
	Unimplemented Answer = 'U'
	// Asked succeeds if the HTTP request has the headers of AskedHeaders, and else fails.
	Asked Answer = 'A'
	// BigBody succeeds with more than an HTTP prober reads: 10 KiB (probe/http/http.go maxRespBodyLength).
	BigBody Answer = 'B'
)

// AskedHeaders returns headers that replace those of a prober, in their order.
func AskedHeaders() [][2]string {
	return [][2]string{
		{"Host", "podclock.test"}, {"User-Agent", "podclock"}, {"Accept", ""}, {"X-Podclock", "1"}, {"X-Podclock", "2"},
	}
}

// ElsewhereURL is an unused address of TEST-NET-1 (RFC 5737).
const ElsewhereURL = "http://192.0.2.1/"

// ClosedPort is a port that no victim opens.
const ClosedPort = "1"

const (
	answers  = "SFHLERDPWONUAB"
	httpOnly = "ERDPWOAB"
	// withStatus are answers of HTTP and gRPC.
	withStatus = "NU"
)

// String returns the letter.
func (a Answer) String() string { return string(rune(a)) }

// Fails reports whether the kubelet counts this answer as a failure. A slow one, which depends on the timeout,
// counts as a success.
func (a Answer) Fails() bool {
	return strings.ContainsRune("FHDPONU", rune(a))
}

// HTTPOnly reports whether only an HTTP probe can have this answer.
func (a Answer) HTTPOnly() bool { return strings.ContainsRune(httpOnly, rune(a)) }

// HasStatus reports whether the answer is a status of HTTP or gRPC.
func (a Answer) HasStatus() bool { return strings.ContainsRune(withStatus, rune(a)) }

// At returns the answer to probe index (from 0) of a life (from 1). A life below 1 is the first.
func (s Scripts) At(life, index int) Answer {
	if s == "" {
		return Succeed
	}
	script := atLife(strings.Split(string(s), "/"), life)
	return Answer(script[min(index, len(script)-1)])
}

// Validate reports an invalid letter, or a life without letters.
func (s Scripts) Validate() error {
	if s == "" {
		return nil
	}
	for i, script := range strings.Split(string(s), "/") {
		if script == "" {
			const empty = "script %q: life %d is empty; write S for a life whose probes always succeed"
			return fmt.Errorf(empty, string(s), i+1)
		}
		for at, letter := range script {
			if !strings.ContainsRune(answers, letter) {
				const unknown = "script %q: %q, letter %d of life %d, is no answer; the answers are S (succeed), " +
					"F (fail), H (hang), L (slow), E (error), R (redirect), D (redirect to failure), " +
					"P (redirect to a closed port), W (redirect away), O (redirect for ever), N (not found), " +
					"U (unimplemented), A (asked with headers) and B (big body)"
				return fmt.Errorf(unknown, string(s), letter, at+1, i+1)
			}
		}
	}
	return nil
}

// Has reports whether any life's script contains the answer.
func (s Scripts) Has(a Answer) bool { return strings.ContainsRune(string(s), rune(a)) }

func (s Scripts) hasHTTPOnly() bool { return strings.ContainsAny(string(s), httpOnly) }

func (s Scripts) hasStatus() bool { return strings.ContainsAny(string(s), withStatus) }

// atLife returns a life's entry of a list whose last entry holds for all later lives.
func atLife[T any](perLife []T, life int) T {
	return perLife[min(max(life, 1), len(perLife))-1]
}
