package record

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/podclock/podclock/harness/mark"
)

var (
	victimRoles = []mark.Role{mark.Run, mark.Hook, mark.Probe}
	victimKinds = []mark.Kind{mark.Started, mark.SIGTERM, mark.Exiting, mark.HookBegan, mark.HookEnded,
		mark.PostStartBegan, mark.PostStartEnded, mark.Probed, mark.Followed, mark.FillBegan, mark.Filled}
)

func parseHello(text []byte) (mark.Hello, error) {
	var hello mark.Hello
	if err := json.Unmarshal(text, &hello); err != nil {
		return mark.Hello{}, errors.New("the first line is no hello")
	}
	if hello.Pod == "" || hello.UID == "" || hello.Container == "" {
		return mark.Hello{}, errors.New("a hello without pod, uid or container")
	}
	if !slices.Contains(victimRoles, hello.Role) {
		return mark.Hello{}, errors.New("a hello with an unknown role")
	}
	return hello, nil
}

func parseLine(text []byte) (mark.Line, error) {
	var line mark.Line
	if err := json.Unmarshal(text, &line); err != nil {
		return mark.Line{}, errors.New("a line that is no mark")
	}
	kind := slices.Index(victimKinds, line.Kind)
	if kind < 0 {
		return mark.Line{}, errors.New("a mark of a kind that victims do not send")
	}
	if line.N < 1 {
		return mark.Line{}, errors.New("a mark without a number")
	}
	line.Kind = victimKinds[kind] // the constant, not one more copy of it in memory
	return line, nil
}
