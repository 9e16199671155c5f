package builder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	gover "go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/node"
)

const (
	progressEvery = 10 * time.Second
	// interruptGrace is how long an interrupted go command may take to stop its compilers.
	interruptGrace = 10 * time.Second
)

// goCommand has the environment and so the compiler's cache of the node image.
func goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, node.BuildEnv(false)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptGrace
	return cmd
}

func sourceFolder(ctx context.Context) (string, error) {
	list := []string{"list", "-m", "-f", "{{.Dir}}", podclock}
	out, err := kubelets.Output(goCommand(ctx, "", list...))
	if err != nil { // the working directory is in another module, such as Kubernetes
		if beside, other := kubelets.Output(goCommand(ctx, program.Folder(), list...)); other == nil {
			out, err = beside, nil
		}
	}
	if err != nil {
		const format = "finding podclock's source, which pins the kubelets: %w; run podclock inside a checkout"
		return "", fmt.Errorf(format, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// toolchain returns the Go version, with its platform, that compiles a module of a Go version such as 1.27.0. If the
// installed Go is older, the go command downloads that version, and root is its folder.
func toolchain(ctx context.Context, folder, language string) (name, root string, err error) {
	if name, _, err = describe(ctx, folder); err != nil {
		return "", "", fmt.Errorf("reading the settings of the Go toolchain: %w; install Go or add it to PATH", err)
	}
	installed, _, _ := strings.Cut(name, " ")
	if gover.Compare(installed, "go"+language) >= 0 {
		return name, "", nil
	}
	if name, root, err = describe(ctx, folder, newer(language)); err != nil {
		return "", "", goError{language, err}
	}
	return name, root, nil
}

// goError is a Go version that can't be downloaded.
type goError struct {
	language string
	err      error
}

func (e goError) Error() string {
	const format = "it needs Go %s or newer, which can't be downloaded: %v; install it, or set GOPROXY to a module " +
		"proxy that has it"
	return fmt.Sprintf(format, e.language, e.err)
}

func (e goError) Unwrap() error { return e.err }

// newer returns the setting that makes a go command that of a newer Go version, such as 1.27.0.
func newer(language string) string {
	if name := "go" + language; gover.Lang(name) == name {
		language += ".0"
	}
	return "GOTOOLCHAIN=go" + language
}

// describe returns the version and the platform of a go command with some settings, and its folder.
func describe(ctx context.Context, folder string, settings ...string) (name, root string, err error) {
	cmd := goCommand(ctx, folder, "env", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT")
	cmd.Env = append(cmd.Env, settings...)
	out, err := kubelets.Output(cmd)
	root, name, _ = strings.Cut(string(out), "\n")
	return strings.Join(strings.Fields(name), " "), root, err
}

// Download returns the folder with the source of a module, such as k8s.io/api@v0.37.2. The go command downloads it
// unless its cache has it.
func Download(ctx context.Context, module string) (string, error) {
	if folder, err := Cached(ctx, module); err == nil {
		return folder, nil
	}
	return downloadOutside(ctx, module)
}

// Cached is Download without the network. The go command verified what is in its cache when it downloaded it.
func Cached(ctx context.Context, module string) (string, error) {
	return downloadOutside(ctx, module, "GOPROXY=off", "GONOSUMDB=*")
}

// downloadOutside downloads a module in a folder without a go.mod, which could replace it.
func downloadOutside(ctx context.Context, module string, settings ...string) (string, error) {
	outside, err := os.MkdirTemp("", "podclock-download-")
	if err != nil {
		return "", fmt.Errorf("making a folder to download a module from: %w", err)
	}
	defer func() { _ = os.RemoveAll(outside) }()
	return download(ctx, outside, module, settings...)
}

func download(ctx context.Context, folder, module string, settings ...string) (string, error) {
	cmd := goCommand(ctx, folder, "mod", "download", "-json", module)
	cmd.Env = append(cmd.Env, settings...)
	out, err := kubelets.Output(cmd)
	var answer struct{ Dir, Error string }
	if parseErr := json.Unmarshal(out, &answer); parseErr == nil && answer.Error != "" {
		err = errors.New(strings.Join(strings.Fields(answer.Error), " ")) // a line
	} else if err == nil {
		err = parseErr
	}
	if err != nil {
		need := requires.FindStringSubmatch(err.Error())
		if need != nil && !slices.Contains(settings, newer(need[1])) {
			with := append(slices.Clone(settings), newer(need[1]))
			if _, _, err := describe(ctx, folder, with...); err != nil {
				return "", goError{need[1], err}
			}
			return download(ctx, folder, module, with...)
		}
		return "", fmt.Errorf("downloading the source of %s: %w; check GOPROXY and the network", module, err)
	}
	return answer.Dir, nil
}

// requires is in the go command's error about a module for a newer Go.
var requires = regexp.MustCompile(` requires go >= (\d[\w.]*) `)

// listed says which versions of Kubernetes the module proxy lists next to one that it lacks, or "" if it lists none.
func listed(ctx context.Context, version string) string {
	out, err := kubelets.Output(goCommand(ctx, os.TempDir(), "list", "-m", "-versions", mutation.Kubernetes))
	_, versions, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	all := strings.Fields(versions)
	if err != nil || len(all) == 0 {
		return "the newest patch that podclock knows is " + cmp.Or(formula.NewestPatch(version), formula.Patches()[0])
	}
	at, _ := slices.BinarySearchFunc(all, version, semver.Compare)
	return "the nearest that it lists are " + strings.Join(all[max(0, at-1):min(len(all), at+1)], " and ")
}

// goCommand is that of the recipe's Go.
func (r recipe) goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := goCommand(ctx, folder, args...)
	if r.goroot != "" {
		cmd.Path = filepath.Join(r.goroot, "bin", "go")
		cmd.Env = append(cmd.Env, "GOROOT="+r.goroot, "GOTOOLCHAIN=local")
	}
	return cmd
}

func (r recipe) compile(
	ctx context.Context, folder, binary string, flags []string, logf func(format string, args ...any),
) error {
	args := append([]string{"build", "-v", "-o", binary}, flags...)
	cmd := r.goCommand(ctx, folder, append(args, r.program())...)
	printed := &buildOutput{start: time.Now(), logf: logf}
	cmd.Stdout, cmd.Stderr = io.Discard, printed
	err := cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("compiling was stopped: %w", context.Cause(ctx))
	}
	if err != nil {
		return CompileError{err, printed.errors.String()}
	}
	return nil
}

// CompileError is a program that does not compile.
type CompileError struct {
	err error
	// Printed are the lines of the go command.
	Printed string
}

func (e CompileError) Error() string {
	return fmt.Sprintf("compiling: %v: %s", e.err, kubelets.FirstLines(e.Printed))
}

func (e CompileError) Unwrap() error { return e.err }

type buildOutput struct {
	start    time.Time
	logf     func(format string, args ...any)
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
		b.logf("%d packages compiled, %s", b.packages, line)
	}
}
