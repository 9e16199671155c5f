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

// buildTools are the Debian packages that building the image takes.
var buildTools = []string{"debootstrap", "debian-archive-keyring", "gcc", "libc6-dev", "libseccomp-dev", "pkg-config"}

// mirror is where this host gets its Debian packages.
type mirror struct {
	URL string
	// Proxy is apt's HTTP proxy, empty for none.
	Proxy string
}

// ensureBuildTools installs what is missing of buildTools. Only root gets this far, see [build].
func ensureBuildTools(ctx context.Context) error {
	// dpkg-query fails when it does not know one of them, which is an answer too.
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
	// The package lists may be absent or old.
	if _, err := aptGet(ctx, "update"); err != nil {
		return fmt.Errorf("installing what building the node image takes (%s): %w", strings.Join(missing, ", "), err)
	}
	if _, err := aptGet(ctx, install...); err != nil {
		return fmt.Errorf("installing what building the node image takes (%s): %w", strings.Join(missing, ", "), err)
	}
	return nil
}

// notInstalled reads lines of package and status, and returns which of wanted have no line that says installed.
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

// findMirror asks apt for the Debian mirror this host is configured with.
func findMirror(ctx context.Context) (mirror, error) {
	list := func() (string, error) {
		return aptGet(
			ctx,
			"indextargets",
			"--format",
			"$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)",
			"Created-By: Packages",
		)
	}
	targets, err := list()
	if err != nil {
		return mirror{}, fmt.Errorf("asking apt for this host's Debian mirror: %w", err)
	}
	url := debianMirror(targets, os.ReadFile)
	if url == "" {
		// Without package lists apt cannot tell whose mirrors they are.
		if _, err := aptGet(ctx, "update"); err != nil {
			return mirror{}, fmt.Errorf("getting the package lists of this host's Debian mirror: %w", err)
		}
		if targets, err = list(); err != nil {
			return mirror{}, fmt.Errorf("asking apt for this host's Debian mirror: %w", err)
		}
		url = debianMirror(targets, os.ReadFile)
	}
	if url == "" {
		return mirror{}, errors.New("apt on this host has no Debian mirror to build the node image from: " +
			"add one, or set NODE_IMAGE to an image that exists")
	}
	proxy, err := command(ctx, "apt-config", "shell", "PROXY", "Acquire::http::Proxy").Output()
	if err != nil {
		return mirror{}, fmt.Errorf("asking apt for its proxy: %w", err)
	}
	return mirror{URL: url, Proxy: shellValue(string(proxy))}, nil
}

// debianMirror picks the first mirror of a whole Debian from lines of origin, component, code name and
// address. Mirrors of updates and security fixes hold only those. An address may be a file that lists
// mirrors, as in cloud images.
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
		for _, scheme := range []string{"http://", "https://", "file:"} { // what debootstrap understands
			if strings.HasPrefix(url, scheme) {
				return strings.TrimSuffix(url, "/")
			}
		}
	}
	return ""
}

// shellValue reads the value out of NAME='value'.
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
