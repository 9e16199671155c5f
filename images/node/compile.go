package node

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// compile builds the component's programs in the folder out. It calls compiled with the number of packages so far.
func (c component) compile(ctx context.Context, src source, out string, compiled func(packages int)) error {
	version, err := c.version(src.Root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("compiling %s: %w", c.Folder, err)
	}
	target := out + string(filepath.Separator)
	if len(c.Programs) == 1 {
		target = filepath.Join(out, c.Programs[0].name())
	}
	args := append([]string{"build", "-v", "-o", target}, c.Flags(version)...)
	for _, p := range c.Programs {
		args = append(args, p.Package)
	}
	cmd := command(ctx, "go", args...)
	cmd.Dir = filepath.Join(src.Root, "images", "node", c.Folder)
	cmd.Env = BuildEnv(c.Cgo)
	progress, err := cmd.StderrPipe()
	if err != nil {
		return fmt.Errorf("compiling %s: %w", c.Folder, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("compiling %s: %w", c.Folder, err)
	}
	complaints := countPackages(progress, compiled)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("compiling %s %s: %w: %s", c.Folder, version, err, tail([]byte(complaints)))
	}
	return nil
}

// countPackages reads the standard error of `go build -v` and returns the errors in it.
func countPackages(stderr io.Reader, compiled func(packages int)) (complaints string) {
	var kept strings.Builder
	count := 0
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
		case line != "" && !strings.ContainsAny(line, " \t#:"):
			count++
			compiled(count)
		default:
			kept.WriteString(line + "\n")
		}
	}
	if err := lines.Err(); err != nil {
		kept.WriteString(err.Error())
		_, _ = io.Copy(io.Discard, stderr) // otherwise the program would wait for a reader
	}
	return kept.String()
}
