// Package capset finds the Linux capabilities that a process can never get, because its bounding set lacks them.
// Containers and light virtual machines often start without some.
package capset

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// names are the capabilities by their bits (include/uapi/linux/capability.h).
var names = [...]string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID",
	"CAP_SETUID", "CAP_SETPCAP", "CAP_LINUX_IMMUTABLE", "CAP_NET_BIND_SERVICE", "CAP_NET_BROADCAST", "CAP_NET_ADMIN",
	"CAP_NET_RAW", "CAP_IPC_LOCK", "CAP_IPC_OWNER", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE", "CAP_SYS_PACCT", "CAP_SYS_ADMIN", "CAP_SYS_BOOT", "CAP_SYS_NICE", "CAP_SYS_RESOURCE",
	"CAP_SYS_TIME", "CAP_SYS_TTY_CONFIG", "CAP_MKNOD", "CAP_LEASE", "CAP_AUDIT_WRITE", "CAP_AUDIT_CONTROL",
	"CAP_SETFCAP", "CAP_MAC_OVERRIDE", "CAP_MAC_ADMIN", "CAP_SYSLOG", "CAP_WAKE_ALARM", "CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ", "CAP_PERFMON", "CAP_BPF", "CAP_CHECKPOINT_RESTORE",
}

// Missing returns the capabilities that the bounding set in status (the text of /proc/PID/status) lacks, up to lastCap
// (the text of /proc/sys/kernel/cap_last_cap), in the kernel's order. An unknown one is its number, such as CAP_41.
func Missing(status, lastCap string) ([]string, error) {
	last, err := strconv.Atoi(strings.TrimSpace(lastCap))
	if err != nil || last < 0 || last > 63 {
		return nil, fmt.Errorf("reading the kernel's last capability: %q is not a number from 0 to 63", lastCap)
	}
	bounding, err := boundingSet(status)
	if err != nil {
		return nil, err
	}
	var missing []string
	for bit := 0; bit <= last; bit++ {
		if bounding&(1<<bit) == 0 {
			missing = append(missing, name(bit))
		}
	}
	return missing, nil
}

// MissingHere returns [Missing] of this process.
func MissingHere() ([]string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, fmt.Errorf("reading this process's capability bounding set: %w", err)
	}
	lastCap, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return nil, fmt.Errorf("reading the kernel's last capability: %w", err)
	}
	return Missing(string(status), string(lastCap))
}

func boundingSet(status string) (uint64, error) {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, "CapBnd:"); found {
			set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			if err != nil {
				return 0, fmt.Errorf("reading the capability bounding set: %w", err)
			}
			return set, nil
		}
	}
	return 0, fmt.Errorf("reading the capability bounding set: no CapBnd line in the process status")
}

func name(bit int) string {
	if bit < len(names) {
		return names[bit]
	}
	return fmt.Sprintf("CAP_%d", bit)
}
