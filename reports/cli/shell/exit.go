package shell

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Exit codes that all commands share. A command may have others.
const (
	Succeeded = 0
	Failed    = 2
)

// exitCode ends the program without a message.
type exitCode int

func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// Ended returns an error for this exit code. wrong comes first.
func Ended(wrong error, code int) error {
	if wrong != nil || code == Succeeded {
		return wrong
	}
	return exitCode(code)
}

// ExitCode returns the exit code of a command that returned err, and prints what went wrong.
func ExitCode(err error, log io.Writer) int {
	var code exitCode
	switch {
	case err == nil:
		return Succeeded
	case errors.As(err, &code):
		return int(code)
	}
	_, _ = fmt.Fprintln(log, "podclock:", err)
	return Failed
}
