package kubelet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/podclock/podclock/images/node"
)

const (
	// progressEvery is how often a running build says that it goes on.
	progressEvery = 10 * time.Second
	// interruptGrace is how long an interrupted go command may take to stop its compilers and clean up.
	interruptGrace = 10 * time.Second
	// errorLines is how much of a failed command's output goes into the error: the first errors, not those
	// that follow from them.
	errorLines = 10
)

// goCommand is the go command in a folder, in the environment in which the node image's Kubernetes is compiled, so that
// both share the build cache.
func goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, node.BuildEnv(false)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptGrace
	return cmd
}

// sourceFolder asks the go command where podclock's own source is: the working directory is inside it.
func sourceFolder(ctx context.Context) (string, error) {
	out, err := output(goCommand(ctx, "", "list", "-m", "-f", "{{.Dir}}", ownModule))
	if err != nil {
		return "", fmt.Errorf(
			"finding podclock's source, where the kubelets are pinned: %w; run inside a checkout",
			err,
		)
	}
	return strings.TrimSpace(string(out)), nil
}

// toolchain describes the compiler that would be used in a folder: all settings of it that change the binary.
func toolchain(ctx context.Context, folder string) (string, error) {
	out, err := output(
		goCommand(ctx, folder, "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT"),
	)
	if err != nil {
		return "", fmt.Errorf("asking for the Go toolchain: %w; install Go or put it into PATH", err)
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}

// download makes sure that a module that is required in a folder is in the module cache, and returns where.
func download(ctx context.Context, folder, module string) (string, error) {
	out, err := output(goCommand(ctx, folder, "mod", "download", "-json", module))
	var answer struct{ Dir, Error string }
	if parseErr := json.Unmarshal(out, &answer); parseErr == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	} else if err == nil {
		err = parseErr
	}
	if err != nil {
		return "", fmt.Errorf("downloading the source of %s: %w; check GOPROXY and the network", module, err)
	}
	return answer.Dir, nil
}

// output runs a command. The error of one that failed carries what it said.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, firstLines(string(exit.Stderr)))
	}
	return out, err
}

// compile builds a program in a module's folder and writes a line of progress now and then.
func compile(
	ctx context.Context,
	folder, program, binary string,
	flags []string,
	progress func(format string, args ...any),
) error {
	args := append([]string{"build", "-v", "-o", binary}, flags...)
	cmd := goCommand(ctx, folder, append(args, program)...)
	said := &buildOutput{start: time.Now(), report: progress}
	cmd.Stdout, cmd.Stderr = io.Discard, said
	err := cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("compiling was stopped: %w", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("compiling: %w: %s", err, firstLines(said.errors.String()))
	}
	return nil
}

// buildOutput reads what go build -v says: the name of every package that is compiled, on a line of its
// own, and errors.
type buildOutput struct {
	start    time.Time
	report   func(format string, args ...any)
	reported time.Duration
	packages int
	rest     []byte
	errors   strings.Builder
}

func (b *buildOutput) Write(p []byte) (int, error) {
	b.rest = append(b.rest, p...)
	for {
		line, rest, whole := bytes.Cut(b.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		b.rest = rest
		b.line(string(line))
	}
}

func (b *buildOutput) line(line string) {
	if strings.ContainsAny(line, " \t:") {
		b.errors.WriteString(line + "\n")
		return
	}
	b.packages++
	if took := time.Since(b.start); took-b.reported >= progressEvery {
		b.reported = took
		b.report("%d packages compiled, %s", b.packages, line)
	}
}

// firstLines makes one line of the first lines of a command's output.
func firstLines(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) > errorLines {
		lines = append(lines[:errorLines], fmt.Sprintf("and %d lines more", len(lines)-errorLines))
	}
	return strings.Join(lines, "; ")
}
