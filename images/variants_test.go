package images

import (
	"io"
	"runtime"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestTheFaultProgramsImagesDifferInTheirConfigurationAlone(t *testing.T) {
	skipInShort(t)
	g := NewWithT(t)
	cacheFolder(t)
	built, err := Build(t.Context(), Fault, runtime.GOARCH, io.Discard)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(built.Other).To(MatchRegexp(`^localhost/podclock/fault-other:[0-9a-f]{12}$`))
	g.Expect(built.StopSignal).To(MatchRegexp(`^localhost/podclock/fault-stop-signal:[0-9a-f]{12}$`))

	ids, layers := map[v1.Hash]bool{}, map[v1.Hash]bool{}
	signals := map[string]string{}
	for _, ref := range []string{built.Ref, built.Other, built.StopSignal} {
		tag, err := name.NewTag(ref)
		g.Expect(err).NotTo(HaveOccurred())
		img, err := tarball.ImageFromPath(built.Archive, &tag)
		g.Expect(err).NotTo(HaveOccurred(), "one archive holds them all")
		id, err := img.ConfigName()
		g.Expect(err).NotTo(HaveOccurred())
		ids[id] = true
		config, err := img.ConfigFile()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Config.Entrypoint).To(Equal([]string{victim.Program}))
		signals[ref] = config.Config.StopSignal
		for _, layer := range config.RootFS.DiffIDs {
			layers[layer] = true
		}
	}
	g.Expect(ids).To(HaveLen(3), "the kubelet and the runtime identify images by their IDs")
	g.Expect(layers).To(HaveLen(1), "the binary is there once")
	g.Expect(signals).To(Equal(map[string]string{built.Ref: "", built.Other: "", built.StopSignal: victim.StopSignal}))
}

func TestOnlyTheFaultProgramHasFurtherImages(t *testing.T) {
	skipInShort(t)
	g := NewWithT(t)
	cacheFolder(t)
	built, err := Build(t.Context(), Recorder, runtime.GOARCH, io.Discard)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]string{built.Other, built.StopSignal}).To(HaveEach(BeEmpty()))
}
