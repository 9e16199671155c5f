package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// content is a file of an archive.
type content struct {
	name string
	data []byte
	mode fs.FileMode
}

// archives packs each program with its man pages, completions and licences.
func (r *files) archives(context.Context) error {
	r.checksums = map[string]string{}
	common := []content{}
	for _, from := range []string{"LICENSE", r.path(thirdParty), r.path(manual), r.path(completions)} {
		inside, err := contents(from, filepath.Base(from))
		if err != nil {
			return err
		}
		common = append(common, inside...)
	}
	for _, p := range platforms {
		program, err := os.ReadFile(r.path(p.file()))
		if err != nil {
			return fmt.Errorf("reading a program: %w", err)
		}
		packed, err := p.pack(append([]content{{p.Program(), program, 0o755}}, common...), r.program.at)
		if err != nil {
			return fmt.Errorf("packing %s: %w", p.Archive(), err)
		}
		r.checksums[p.Name()] = fmt.Sprintf("%x", sha256.Sum256(packed))
		if err := os.WriteFile(r.path(p.Archive()), packed, 0o644); err != nil {
			return fmt.Errorf("writing an archive: %w", err)
		}
	}
	return nil
}

// contents returns a file, or the files of a folder, in the order of their names.
func contents(file, as string) (all []content, err error) {
	err = filepath.WalkDir(file, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(data, []byte("#!")) {
			mode = 0o755
		}
		below := filepath.ToSlash(strings.TrimPrefix(name, file))
		all = append(all, content{path.Join(as, below), data, mode})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading what an archive contains: %w", err)
	}
	return all, nil
}

// Archive is the archive's file name, in the format that the platform's users expect.
func (p platform) Archive() string {
	if p.OS == "windows" {
		return p.Name() + ".zip"
	}
	return p.Name() + ".tar.gz"
}

func (p platform) pack(files []content, at time.Time) ([]byte, error) {
	if p.OS == "windows" {
		return zipped(files, at)
	}
	packed, err := tarred(files, at)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	if _, err := compressed.Write(packed); err != nil {
		return nil, err
	}
	err = compressed.Close()
	return out.Bytes(), err
}

func tarred(files []content, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func zipped(files []content, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(f.mode)
		file, err := w.CreateHeader(header)
		if err == nil {
			_, err = file.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// sums writes the checksums of everything that is published, which is every file directly in the folder.
func (r *files) sums(context.Context) error {
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	var lines []string
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(r.path(e.Name()))
		if err != nil {
			return fmt.Errorf("hashing a file: %w", err)
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), e.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(r.path("SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
