package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

var buildTools = []string{"debootstrap", "debian-archive-keyring", "gcc", "libc6-dev", "libseccomp-dev", "pkg-config"}

// mirror is the source of this host's Debian packages. Proxy is apt's HTTP proxy, empty for none.
type mirror struct {
	URL, Proxy string
}

func ensureBuildTools(ctx context.Context) error {
	// dpkg-query fails if it does not know one of them, but lists the others.
	query := append([]string{"--show", "--showformat", "${Package} ${db:Status-Status}\n"}, buildTools...)
	out, _ := command(ctx, "dpkg-query", query...).Output()
	missing := notInstalled(string(out), buildTools)
	if len(missing) == 0 {
		return nil
	}
	install := append([]string{"install", "--yes", "--no-install-recommends"}, missing...)
	if _, err := aptGet(ctx, install...); err == nil {
		return nil
	}
	_, err := aptGet(ctx, "update") // the package lists may be absent or old
	if err == nil {
		_, err = aptGet(ctx, install...)
	}
	if err != nil {
		return fmt.Errorf("installing the tools to build the node image (%s): %w", strings.Join(missing, ", "), err)
	}
	return nil
}

func notInstalled(status string, wanted []string) []string {
	var missing []string
	lines := strings.Split(status, "\n")
	for _, name := range wanted {
		if !slices.Contains(lines, name+" installed") {
			missing = append(missing, name)
		}
	}
	return missing
}

func findMirror(ctx context.Context) (mirror, error) {
	list := func() (string, error) {
		const format = "$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)"
		return aptGet(ctx, "indextargets", "--format", format, "Created-By: Packages")
	}
	targets, err := list()
	if err != nil {
		return mirror{}, fmt.Errorf("reading this host's Debian mirror from apt: %w", err)
	}
	url := debianMirror(targets, os.ReadFile)
	if url == "" {
		// Without package lists, apt does not know the origins of its mirrors.
		if _, err := aptGet(ctx, "update"); err != nil {
			return mirror{}, fmt.Errorf("getting the package lists of this host's Debian mirror: %w", err)
		}
		if targets, err = list(); err != nil {
			return mirror{}, fmt.Errorf("reading this host's Debian mirror from apt: %w", err)
		}
		url = debianMirror(targets, os.ReadFile)
	}
	if url == "" {
		return mirror{}, errors.New("apt on this host has no Debian mirror for the node image: " +
			"add one, or set NODE_IMAGE to an existing image")
	}
	proxy, err := command(ctx, "apt-config", "shell", "PROXY", "Acquire::http::Proxy").Output()
	if err != nil {
		return mirror{}, fmt.Errorf("reading apt's proxy: %w", err)
	}
	return mirror{URL: url, Proxy: shellValue(string(proxy))}, nil
}

// debianMirror returns the first mirror of a whole Debian from lines of origin, component, code name and
// address. An address may be a file with mirrors.
func debianMirror(targets string, readFile func(string) ([]byte, error)) string {
	for line := range strings.Lines(targets) {
		field := strings.Split(strings.TrimSpace(line), "|")
		if len(field) != 4 || field[0] != "Debian" || field[1] != "main" || strings.Contains(field[2], "-") {
			continue
		}
		url := field[3]
		if list, found := strings.CutPrefix(url, "mirror+file:"); found {
			content, err := readFile("/" + strings.Trim(list, "/"))
			if err != nil {
				continue
			}
			words := strings.Fields(string(content))
			if len(words) == 0 {
				continue
			}
			url = words[0]
		}
		for _, scheme := range []string{"http://", "https://", "file:"} { // debootstrap's schemes
			if strings.HasPrefix(url, scheme) {
				return strings.TrimSuffix(url, "/")
			}
		}
	}
	return ""
}

func shellValue(assignment string) string {
	_, value, _ := strings.Cut(strings.TrimSpace(assignment), "=")
	return strings.Trim(value, "'")
}

func aptGet(ctx context.Context, args ...string) (string, error) {
	cmd := command(ctx, "apt-get", args...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("apt-get %s: %w: %s", args[0], err, tail(exit.Stderr))
		}
		return "", fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return string(out), nil
}
