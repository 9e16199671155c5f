package node

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

const stopTime = 5 * time.Second

// command ends with ctx or this process, together with its children.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin") // su leaves root without them
	endTogether(cmd)
	cmd.WaitDelay = stopTime
	return cmd
}

func tail(out []byte) string {
	const most = 1500
	text := strings.TrimSpace(string(out))
	if cut := len(text) - most; cut > 0 {
		return "…" + text[cut:]
	}
	return text
}

func present(ctx context.Context, engine, ref string) bool {
	return command(ctx, engine, "image", "inspect", ref).Run() == nil
}
