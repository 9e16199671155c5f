package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

func TestProfile(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(Trial{Lasts: 3 * time.Minute}.Profile()).To(gomega.Equal(Quick))
	g.Expect(Trial{Lasts: 3*time.Minute + time.Second}.Profile()).To(gomega.Equal(Full))
}
