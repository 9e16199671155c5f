package prediction

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/reports/cli/shell"
)

// said is the output and the exit code of a call of the program.
type said struct {
	code     int
	out, log string
}

// call calls a program with the commands of this package.
func call(ctx context.Context, args ...string) said { return read(ctx, strings.NewReader(""), args...) }

// read is call with a standard input.
func read(ctx context.Context, in io.Reader, args ...string) said {
	root := &cobra.Command{Use: "podclock", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Predict("v9.9.9"), Rules(), Presets())
	var out, log bytes.Buffer
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&out)
	root.SetErr(&log)
	code := shell.ExitCode(root.ExecuteContext(ctx), &log)
	return said{code, out.String(), log.String()}
}
