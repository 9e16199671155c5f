package nodes

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// maxLogLines and maxLogLine (bytes) limit an excerpt of a node's log.
	maxLogLines = 400
	maxLogLine  = 1000
)

// NodeLog returns the lines that a node's kubelet and container runtime logged between two times, with systemd's time
// stamps. If texts are given, such as a container's ID, it returns only lines with one of them.
//
// An excerpt of more than 400 lines loses its middle, a line of more than 1000 bytes its end. A note says how much.
func (s *Set) NodeLog(
	ctx context.Context, nodeName string, since, until time.Time, containing ...string,
) ([]string, error) {
	args := []string{journalTime(since), journalTime(until)}
	for _, text := range containing {
		args = append(args, "-e", text)
	}
	out, err := s.run(ctx, nodeName, "reading its log", script{text: nodeLogScript, args: args})
	if err != nil {
		return nil, err
	}
	return excerpt(out, maxLogLines, maxLogLine), nil
}

// nodeLogScript prints the journal from $1 to $2. The other arguments are grep's, which exits with 1 without a match.
// The journal is read before the pipe, because a failure inside a pipe would be lost.
const nodeLogScript = runtimeShell + `
since=$1 until=$2
shift 2
[ $# -gt 0 ] || set -- -e ""
log=$(journalctl --unit kubelet --unit $unit --quiet --no-pager --utc \
  --output short-iso-precise --since "$since" --until "$until")
printf '%s\n' "$log" | grep -F "$@" || [ $? = 1 ]
`

func journalTime(t time.Time) string {
	return fmt.Sprintf("@%d.%06d", t.Unix(), t.Nanosecond()/1000)
}

func excerpt(text string, maxLines, maxLine int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if left := len(lines) - maxLines; left > 0 {
		head := lines[: maxLines/2 : maxLines/2]
		tail := lines[len(lines)-(maxLines-maxLines/2):]
		lines = append(append(head, fmt.Sprintf("[%d lines left out]", left)), tail...)
	}
	for i, line := range lines {
		if left := len(line) - maxLine; left > 0 {
			lines[i] = fmt.Sprintf("%s [%d bytes left out]", strings.ToValidUTF8(line[:maxLine], ""), left)
		}
	}
	return lines
}

// Removals returns when the kubelet asked a node's container runtime to remove containers, between two times. Its keys
// are the given beginnings of container IDs that the runtime logged.
func (s *Set) Removals(
	ctx context.Context, nodeName string, since, until time.Time, ids []string,
) (map[string]time.Time, error) {
	args := []string{journalTime(since), journalTime(until)}
	out, err := s.run(ctx, nodeName, "reading its container runtime's log", script{text: removalsScript, args: args})
	if err != nil {
		return nil, err
	}
	return removals(out, ids)
}

const removalsScript = runtimeShell + `
log=$(journalctl --unit $unit --quiet --no-pager --output short-unix --since "$1" --until "$2")
printf '%s\n' "$log" | grep -F "$removed" || [ $? = 1 ]
`

func removals(log string, ids []string) (map[string]time.Time, error) {
	at := map[string]time.Time{}
	for line := range strings.Lines(log) {
		for _, id := range ids {
			if _, known := at[id]; known || !strings.Contains(line, id) {
				continue
			}
			stamp, _, _ := strings.Cut(line, " ")
			seconds, err := strconv.ParseFloat(stamp, 64)
			if err != nil {
				return nil, fmt.Errorf("reading the container runtime's log: a line begins with no time: %.100s", line)
			}
			at[id] = time.UnixMicro(int64(seconds * 1e6))
		}
	}
	return at, nil
}
