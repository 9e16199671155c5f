package cluster

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/log"
)

// kindLog passes on what kind says: warnings, errors and the names of its
// steps. kind marks steps with a bullet and decorates them with pictograms.
type kindLog struct {
	line func(format string, args ...any)
}

func (l kindLog) Warn(message string)               { l.line("%s", message) }
func (l kindLog) Warnf(format string, args ...any)  { l.line(format, args...) }
func (l kindLog) Error(message string)              { l.line("%s", message) }
func (l kindLog) Errorf(format string, args ...any) { l.line(format, args...) }

func (l kindLog) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return l
}

func (l kindLog) Enabled() bool { return true }

func (l kindLog) Info(message string) {
	step, isStep := strings.CutPrefix(strings.TrimSpace(message), "• ")
	if !isStep {
		return
	}
	ascii := strings.Map(func(r rune) rune {
		if r > 126 {
			return -1
		}
		return r
	}, strings.TrimRight(step, " ."))
	ascii = strings.TrimSpace(ascii)
	if ascii != "" {
		l.line("%s", strings.ToLower(ascii[:1])+ascii[1:])
	}
}

func (l kindLog) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
