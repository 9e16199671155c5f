package engine

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestCgroupV1(t *testing.T) {
	for title, c := range map[string]struct {
		mounts string
		want   bool
	}{
		"version 2": {"proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n", false},
		"version 1": {"tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n", true},
		"hybrid, which accounts by version 1": {
			"tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup " +
				"/sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n", true,
		},
		"version 2 mounted over something": {
			"tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", false,
		},
	} {
		t.Run(title, func(t *testing.T) {
			NewWithT(t).Expect(cgroupV1(c.mounts)).To(Equal(c.want))
		})
	}
}

func TestInspectHostReadsThisHost(t *testing.T) {
	_, err := InspectHost()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}
