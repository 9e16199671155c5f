package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/host/engine/capset"
)

const (
	// installTime bounds one apt-get. Docker and its dependencies are about 70 MB.
	installTime = 10 * time.Minute
	// startTime is how long dockerd may take to its first answer, usually 2 s.
	startTime   = time.Minute
	runtimeName = "podclock" // of the shim in the engine
)

// install fetches the package lists only if the installation fails without them.
func install(ctx context.Context, run runner) error {
	ctx, cancel := context.WithTimeoutCause(ctx, installTime, fmt.Errorf("apt-get took more than %v", installTime))
	defer cancel()
	get := []string{"install", "--yes", "--no-install-recommends", "docker.io"}
	if _, err := run(ctx, "apt-get", get...); err == nil {
		return nil
	}
	_, err := run(ctx, "apt-get", "update")
	if err == nil {
		_, err = run(ctx, "apt-get", get...)
	}
	if err != nil {
		return fmt.Errorf("installing Docker: %w; %s", err, remedy)
	}
	return nil
}

// startDocker starts Docker's server, by systemd if it runs this host. how describes what it did.
func startDocker(ctx context.Context) (answer server, how string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("dockerd gave no answer in %v", startTime))
	defer cancel()
	missing, err := capset.MissingHere()
	if err != nil {
		return server{}, "", err
	}
	// The package may have started the server. On a host with missing capabilities it does not work without the shim.
	if answer, err := ask(ctx, Docker, run); err == nil {
		if len(missing) == 0 {
			return answer, "", nil
		}
		if _, err := run(ctx, "service", "docker", "stop"); err != nil {
			return server{}, "", fmt.Errorf("stopping the Docker that its package started, to adapt it: %w", err)
		}
	}
	if _, err := os.Stat("/run/systemd/system"); err == nil && len(missing) == 0 {
		if _, err := run(ctx, "systemctl", "start", "docker"); err != nil {
			return server{}, "", fmt.Errorf("starting Docker: %w", err)
		}
		answer, err := awaitDocker(ctx, nil)
		return answer, " by systemd", err
	}
	return startDetached(ctx, missing)
}

// startDetached starts dockerd in a session of its own, so it outlives this process.
func startDetached(ctx context.Context, missing []string) (answer server, how string, err error) {
	dir, err := cache.Dir()
	if err != nil {
		return server{}, "", err
	}
	dockerd, found := program("dockerd")
	if !found {
		return server{}, "", fmt.Errorf("starting Docker: there is no dockerd on this host; %s", remedy)
	}
	var args []string
	if len(missing) > 0 {
		shim := filepath.Join(dir, "runtimeshim")
		if err := BuildShim(ctx, shim); err != nil {
			return server{}, "", err
		}
		args = []string{"--add-runtime", runtimeName + "=" + shim, "--default-runtime", runtimeName}
		how = fmt.Sprintf(", adapted to a host without %s", strings.Join(missing, ", "))
	}
	log, err := os.OpenFile(filepath.Join(dir, "dockerd.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return server{}, "", fmt.Errorf("opening the log of dockerd: %w", err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(dockerd, args...)
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":"+strings.Join(systemFolders, ":")) // it calls iptables
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	host.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return server{}, "", fmt.Errorf("starting dockerd: %w", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	answer, err = awaitDocker(ctx, exited)
	if err != nil {
		return server{}, "", fmt.Errorf("%w; its log is %s", err, log.Name())
	}
	return answer, fmt.Sprintf("%s (log: %s)", how, log.Name()), nil
}

func awaitDocker(ctx context.Context, exited <-chan error) (answer server, err error) {
	var last error
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-exited:
			return false, errors.Join(errors.New("dockerd stopped at once"), err)
		default:
		}
		answer, last = ask(ctx, Docker, run)
		return last == nil, nil
	})
	if err != nil {
		return server{}, fmt.Errorf("starting Docker: %w", errors.Join(cmp.Or(context.Cause(ctx), err), last))
	}
	return answer, nil
}

// keepRuntime builds the shim of a running server again if the cache lost it.
func keepRuntime(ctx context.Context, found server) error {
	runtime, ours := found.Runtimes[runtimeName]
	if !ours {
		return nil
	}
	if _, err := os.Stat(runtime.Path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(runtime.Path), 0o755); err != nil {
		return fmt.Errorf("restoring the runtime of the running dockerd: %w", err)
	}
	return BuildShim(ctx, runtime.Path)
}

// BuildShim compiles the OCI runtime for a host with a reduced capability bounding set. It needs Go and podclock's
// source.
func BuildShim(ctx context.Context, file string) error {
	const shim = "github.com/podclock/podclock/harness/host/engine/runtimeshim"
	temporary := file + ".tmp"
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", temporary, shim)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the OCI runtime shim for this host: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.Rename(temporary, file)
}
