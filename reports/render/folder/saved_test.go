package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestSavedRunIsReadBack(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r := fixture.Fixture()
	g.Expect(run.Save(dir, r, nil)).To(Succeed())
	g.Expect(run.Save(dir, r, nil)).To(Succeed(), "saving again replaces what is there")

	for _, path := range []string{dir, filepath.Join(dir, run.RunFile)} {
		back, err := run.Load(path)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(back).To(Equal(r))
	}
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "no temporary file is left behind")
	info, err := entries[0].Info()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o644)))
	t.Logf("%d outcomes take %d bytes", len(r.Outcomes), info.Size())
}

func TestFailedSaveLeavesNothing(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(dir, run.RunFile), 0o755)).To(Succeed())
	err := run.Save(dir, fixture.Fixture(), nil)
	g.Expect(err).To(MatchError(ContainSubstring(filepath.Join(dir, run.RunFile))))
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "only what stood in the way is there")
}

func TestLoadNamesPathAndRemedy(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		says    []string
	}{
		"missing": {"", []string{"no saved run", run.RunFile, "out/latest"}},
		"other format": {`{"schema":"podclock.run/v1"}`, []string{`"podclock.run/v1"`, `"podclock.run/v2"`,
			"run again"}},
		"no format":  {`{}`, []string{`schema ""`}},
		"no JSON":    {"<xml/>", []string{"is not a saved run"}},
		"cut off":    {`{"schema":"podclock.run/v2","id":"x"`, []string{"is not a saved run"}},
		"wrong type": {`{"schema":"podclock.run/v2","outcomes":7}`, []string{"does not fit", "edited"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			if tt.content != "" {
				g.Expect(os.WriteFile(filepath.Join(dir, run.RunFile), []byte(tt.content), 0o644)).To(Succeed())
			}
			_, err := run.Load(dir)
			g.Expect(err).To(MatchError(ContainSubstring(filepath.Join(dir, run.RunFile))))
			for _, s := range tt.says {
				g.Expect(err).To(MatchError(ContainSubstring(s)))
			}
		})
	}
}

func TestLoadOfAPathThatIsNotThereNamesIt(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "20260101-000000")
	_, err := run.Load(path)
	g.Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("out/latest"))))
}

func TestFolderIsNeverReused(t *testing.T) {
	g := NewWithT(t)
	out := filepath.Join(t.TempDir(), "deep", "out")
	started := time.Date(2026, time.March, 2, 11, 4, 5, 0, time.FixedZone("somewhere", 3600))
	var ids []string
	for range 3 {
		dir, id, err := run.NewFolder(out, "", started)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(dir).To(Equal(filepath.Join(out, id)))
		g.Expect(dir).To(BeADirectory())
		ids = append(ids, id)
	}
	g.Expect(ids).To(Equal([]string{"20260302-100405", "20260302-100405-2", "20260302-100405-3"}))

	for range run.MostInOneSecond - 1 - len(ids) {
		_, _, err := run.NewFolder(out, "", started)
		g.Expect(err).NotTo(HaveOccurred())
	}
	_, _, err := run.NewFolder(out, "", started)
	g.Expect(err).To(MatchError(ContainSubstring("remove some")), "it must end")
}

func TestLatestFollowsTheNewestRun(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	for _, started := range []time.Time{fixture.Began, fixture.Began.Add(time.Hour)} {
		dir, id, err := run.NewFolder(out, "", started)
		g.Expect(err).NotTo(HaveOccurred())
		r := fixture.Fixture()
		r.ID = id
		g.Expect(run.Save(dir, r, nil)).To(Succeed())
		g.Expect(os.Symlink("nowhere", filepath.Join(out, "."+run.LatestLink+"-"+id))).
			To(Succeed(), "a leftover of a killed run")
		g.Expect(run.Latest(out, dir)).To(Succeed())

		target, err := os.Readlink(filepath.Join(out, run.LatestLink))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(target).To(Equal(id), "the link is relative")
		back, err := run.Load(filepath.Join(out, run.LatestLink))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(back.ID).To(Equal(id))
	}
	entries, err := os.ReadDir(out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(3))
}

func TestLatestDoesNotReplaceAFolder(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	g.Expect(os.MkdirAll(filepath.Join(out, run.LatestLink, "precious"), 0o755)).To(Succeed())
	dir, _, err := run.NewFolder(out, "", fixture.Began)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.Latest(out, dir)).To(MatchError(ContainSubstring("move it away")))
	g.Expect(filepath.Join(out, run.LatestLink, "precious")).To(BeADirectory())
	entries, err := os.ReadDir(out)
	g.Expect(err).NotTo(HaveOccurred())
	for _, e := range entries {
		g.Expect(strings.HasPrefix(e.Name(), ".")).To(BeFalse(), "leftover %s", e.Name())
	}
}
