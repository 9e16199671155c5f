package node

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
)

func TestDebianMirror(t *testing.T) {
	files := func(name string) ([]byte, error) {
		if name == "/etc/apt/mirrors/debian.list" {
			return []byte("https://mirror.example/debian\nhttps://second.example/debian\n"), nil
		}
		return nil, os.ErrNotExist
	}
	for title, c := range map[string]struct{ targets, want string }{
		"an ordinary Debian": {
			"Debian|main|bookworm-security|http://mirror.example/debian-security/\n" +
				"Debian|main|bookworm|http://mirror.example/debian/\n",
			"http://mirror.example/debian",
		},
		"another release's mirror holds all releases": {
			"Debian|main|trixie|https://mirror.example/debian/\n", "https://mirror.example/debian",
		},
		"third parties come first": {
			"Vendor|main|bookworm|https://vendor.example/apt/\nDebian|contrib|bookworm|http://a.example/\n" +
				"Debian|main|bookworm|http://b.example/\n",
			"http://b.example",
		},
		"a cloud image lists mirrors in a file": {
			"Debian|main|bookworm|mirror+file:/etc/apt/mirrors/debian.list/\n", "https://mirror.example/debian",
		},
		"the file is missing": {"Debian|main|bookworm|mirror+file:/etc/absent/\n", ""},
		"debootstrap can't read a disc": {
			"Debian|main|bookworm|cdrom:[Debian]/\nDebian|main|bookworm|http://b.example/\n", "http://b.example",
		},
		"no package lists, so no origin": {"||bookworm|http://b.example/\n", ""},
		"not a Debian":                   {"Ubuntu|main|noble|http://u.example/ubuntu/\n", ""},
		"nothing":                        {"", ""},
	} {
		t.Run(title, func(t *testing.T) {
			NewWithT(t).Expect(debianMirror(c.targets, files)).To(Equal(c.want))
		})
	}
}

func TestNotInstalled(t *testing.T) {
	const status = "gcc installed\nlibc6-dev config-files\nlibseccomp-dev not-installed\n"
	got := notInstalled(status, []string{"gcc", "libc6-dev", "libseccomp-dev", "debootstrap"})
	NewWithT(t).Expect(got).To(Equal([]string{"libc6-dev", "libseccomp-dev", "debootstrap"}))
	NewWithT(t).Expect(notInstalled(status, []string{"gcc"})).To(BeEmpty())
}

func TestShellValue(t *testing.T) {
	NewWithT(t).Expect(shellValue("PROXY='http://proxy.example:3128/'\n")).To(Equal("http://proxy.example:3128/"))
	NewWithT(t).Expect(shellValue("")).To(BeEmpty())
}
