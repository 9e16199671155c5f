// Package delivery hands over the results of a run in a pod: to kubectl cp, or to Sonobuoy's worker.
package delivery

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/render/folder"
)

// Way is how results leave the pod.
type Way string

const (
	// Copy writes a tarball beside the run's folder, and waits until [Tar] has copied it or Within is over.
	Copy Way = "copy"
	// Sonobuoy also reports the progress to Sonobuoy's worker. It writes the worker's done file instead of waiting.
	Sonobuoy Way = "sonobuoy"
)

// Options are empty for a run that hands over nothing.
type Options struct {
	How    Way
	Within time.Duration
}

const (
	// Tarball is the file with the run's folder.
	Tarball = "podclock.tar.gz"
	copied  = ".copied"
)

// Complete reports whether every trial was judged, so that a further run would play nothing.
func Complete(r run.Run) bool {
	return !slices.ContainsFunc(r.Outcomes, func(o run.Outcome) bool { return !run.Ended(o) })
}

// Deliver packs a run's folder and hands it over.
func (o Options) Deliver(ctx context.Context, dir string, log io.Writer) error {
	to := filepath.Join(filepath.Dir(dir), Tarball)
	if o.How == Sonobuoy {
		to = filepath.Join(resultsDir(), Tarball)
	}
	if err := pack(to, dir, filepath.Base(dir)); err != nil {
		return err
	}
	if o.How == Sonobuoy {
		return done(resultsDir(), to)
	}
	pod, _ := os.Hostname()
	_, _ = fmt.Fprintf(log, "the results wait for %v: kubectl cp -n %s %s:%s %s.tar.gz\n", o.Within,
		cmp.Or(os.Getenv("POD_NAMESPACE"), "NAMESPACE"), pod, to, pod)
	over := time.After(o.Within)
	for {
		if _, err := os.Stat(to + copied); err == nil {
			_, _ = fmt.Fprintln(log, "the results were copied")
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-over:
			_, _ = fmt.Fprintln(log, "nobody copied the results; they stay on the volume")
			return nil
		case <-ctx.Done(): // the next container delivers them
			return context.Cause(ctx)
		}
	}
}

// Pack packs all files of a folder into a tarball in it, and tells Sonobuoy's worker. Their names begin in the folder.
func Pack(results, tarball string) error {
	to := filepath.Join(results, tarball)
	return errors.Join(pack(to, results, ""), done(results, to))
}

// done writes the file by which Sonobuoy's worker learns of the results. It sends the file that this one names to the
// aggregator (pkg/worker, GatherResults).
func done(results, tarball string) error {
	return run.Replace(filepath.Join(results, "done"), func(w io.Writer) error {
		_, err := io.WriteString(w, tarball)
		return err
	})
}

// Failed returns err. If Sonobuoy has no results yet, Failed delivers err as a run's problem. Otherwise Sonobuoy would
// wait until its timeout.
func (o Options) Failed(err error) error {
	_, missing := os.Stat(filepath.Join(resultsDir(), "done"))
	if o.How != Sonobuoy || err == nil || missing == nil {
		return err
	}
	dir := filepath.Join(resultsDir(), "error")
	return errors.Join(err, os.MkdirAll(dir, 0o755),
		folder.Write(dir, run.Run{ID: "error", Problems: []string{err.Error()}}),
		o.Deliver(context.Background(), dir, io.Discard))
}

func resultsDir() string { return cmp.Or(os.Getenv("SONOBUOY_RESULTS_DIR"), "/tmp/sonobuoy/results") }

// pack writes a compressed archive of a folder, whose name in it is root. The file appears complete or not at all.
func pack(to, dir, root string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("pack the results %s: %w", dir, err)
		}
	}()
	if err := os.Remove(to + copied); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	out, err := os.Create(to + ".tmp")
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(out)
	archive := tar.NewWriter(zip)
	err = add(archive, dir, root, to+".tmp", to)
	if err = errors.Join(err, archive.Close(), zip.Close(), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

// add adds a file, or a folder with all files below it except some.
func add(archive *tar.Writer, from, name string, except ...string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.Contains(except, path) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{
			Name: filepath.Join(name, strings.TrimPrefix(strings.TrimPrefix(path, from), "/")), Mode: 0o644,
			Size: info.Size(), ModTime: info.ModTime(),
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(archive, file)
		return errors.Join(err, file.Close())
	})
}

// Tar does what kubectl cp asks of a container, tar cf - PATH, and notes that a tarball was copied.
func Tar(w io.Writer, args []string) error {
	if len(args) != 3 || args[0] != "cf" || args[1] != "-" {
		return fmt.Errorf("tar %s: only `tar cf - PATH` is known, which kubectl cp calls", strings.Join(args, " "))
	}
	path, archive := args[2], tar.NewWriter(w)
	if err := errors.Join(add(archive, path, strings.TrimPrefix(path, "/")), archive.Close()); err != nil {
		return err
	}
	if filepath.Base(path) != Tarball {
		return nil
	}
	return os.WriteFile(path+copied, nil, 0o644)
}
