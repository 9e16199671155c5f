package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// extractPackages puts the files of Debian packages of the node's suite into a root folder, without their dependencies.
// apt has a state of its own, because this host may have another suite.
func extractPackages(ctx context.Context, root string, names ...string) error {
	from, err := findMirror(ctx)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(root), "apt-")
	if err != nil {
		return err
	}
	const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
	list := filepath.Join(work, "sources.list")
	source := fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, from.URL, suite)
	if err := os.WriteFile(list, []byte(source), 0o644); err != nil {
		return err
	}
	apart := []string{
		"-o", "Dir::State=" + work, "-o", "Dir::State::status=/dev/null", "-o", "Dir::Cache=" + work,
		"-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "APT::Sandbox::User=root",
	}
	for _, args := range [][]string{{"update"}, append([]string{"download"}, names...)} {
		cmd := command(ctx, "apt-get", append(args, apart...)...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			const format = "getting %s of Debian %s from %s: %w: %s"
			return fmt.Errorf(format, strings.Join(names, " and "), suite, from.URL, err, tail(out))
		}
	}
	packages, err := filepath.Glob(filepath.Join(work, "*.deb"))
	if err != nil {
		return err
	}
	for _, file := range packages {
		if out, err := command(ctx, "dpkg-deb", "--extract", file, root).CombinedOutput(); err != nil {
			return fmt.Errorf("extracting %s: %w: %s", filepath.Base(file), err, tail(out))
		}
	}
	return os.RemoveAll(filepath.Join(root, "usr/share"))
}
