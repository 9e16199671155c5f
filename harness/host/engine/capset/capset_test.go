//go:build linux

package capset

import (
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"
)

func TestMissing(t *testing.T) {
	for title, c := range map[string]struct {
		bounding, last string
		want           []string
	}{
		"everything there":             {"000001ffffffffff", "40\n", nil},
		"one taken away":               {"000001fffeffffff", "40\n", []string{"CAP_SYS_RESOURCE"}},
		"two, in the kernel's order":   {"000001fffedfffff", "40\n", []string{"CAP_SYS_ADMIN", "CAP_SYS_RESOURCE"}},
		"an old kernel has fewer":      {"0000003fffffffff", "37\n", nil},
		"a new kernel has an unknown":  {"000001ffffffffff", "41\n", []string{"CAP_41"}},
		"the default set of an engine": {"00000000a80425fb", "3\n", []string{"CAP_DAC_READ_SEARCH"}},
	} {
		t.Run(title, func(t *testing.T) {
			g := NewWithT(t)
			status := "Name:\tbash\nCapEff:\t0000000000000000\nCapBnd:\t" + c.bounding + "\nCapAmb:\t0000000000000000\n"
			got, err := Missing(status, c.last)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(c.want))
		})
	}
}

func TestMissingRefusesWhatItCannotRead(t *testing.T) {
	for title, c := range map[string]struct{ status, last string }{
		"no bounding set":      {"Name:\tbash\n", "40"},
		"not hexadecimal":      {"CapBnd:\txyz\n", "40"},
		"last is no number":    {"CapBnd:\tff\n", "forty"},
		"last beyond the bits": {"CapBnd:\tff\n", "64"},
	} {
		t.Run(title, func(t *testing.T) {
			_, err := Missing(c.status, c.last)
			NewWithT(t).Expect(err).To(HaveOccurred())
		})
	}
}

func TestNamesMatchTheKernelsBits(t *testing.T) {
	for want, bit := range map[string]int{
		"CAP_CHOWN": unix.CAP_CHOWN, "CAP_SYS_CHROOT": unix.CAP_SYS_CHROOT, "CAP_SYS_ADMIN": unix.CAP_SYS_ADMIN,
		"CAP_SYS_RESOURCE": unix.CAP_SYS_RESOURCE, "CAP_SETFCAP": unix.CAP_SETFCAP,
		"CAP_CHECKPOINT_RESTORE": unix.CAP_CHECKPOINT_RESTORE,
	} {
		NewWithT(t).Expect(name(bit)).To(Equal(want))
	}
	NewWithT(t).Expect(names).To(HaveLen(unix.CAP_LAST_CAP + 1))
}
