// Package embedded has the programs of victim and recorder in a released program, so that it needs no compiler. The
// files are in no commit: [Write] makes them, and the build tag release embeds them.
package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func name(program, architecture string) string { return program + "-linux-" + architecture + ".zst" }

// Program writes a program for an architecture (GOARCH) to a file. It returns false if there is none.
func Program(program, architecture, file string) (found bool, err error) {
	return unpack(files, name(program, architecture), file)
}

func unpack(from fs.FS, name, file string) (found bool, err error) {
	packed, err := fs.ReadFile(from, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var content []byte
	if err == nil {
		content, err = decompress(packed)
	}
	if err == nil {
		err = os.WriteFile(file, content, 0o755)
	}
	if err != nil {
		return true, fmt.Errorf("unpack %s: %w", name, err)
	}
	return true, nil
}

func decompress(packed []byte) ([]byte, error) {
	reader, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return reader.DecodeAll(packed, nil)
}

// Write compresses a program into the folder of this package. Equal programs give equal files.
func Write(folder, program, architecture, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("embed program %s: %w", program, err)
	}
	writer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err == nil {
		path := filepath.Join(folder, name(program, architecture))
		err = os.WriteFile(path, writer.EncodeAll(content, nil), 0o644)
	}
	if err != nil {
		return fmt.Errorf("embed program %s: %w", program, err)
	}
	return nil
}
