// Package embedded has the programs of victim and recorder in a released program, so that it needs no compiler. The
// files are in no commit: [Write] makes them, and the build tag release embeds them.
package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func name(program, architecture string) string { return program + "-linux-" + architecture + ".zst" }

// Program writes a program for an architecture (GOARCH) to a file. It returns false if there is none.
func Program(program, architecture, file string) (found bool, err error) {
	packed, err := files.ReadFile(name(program, architecture))
	if err != nil {
		return false, nil
	}
	reader, err := zstd.NewReader(nil)
	if err != nil {
		return true, fmt.Errorf("unpack program %s: %w", program, err)
	}
	defer reader.Close()
	content, err := reader.DecodeAll(packed, nil)
	if err == nil {
		err = os.WriteFile(file, content, 0o755)
	}
	if err != nil {
		return true, fmt.Errorf("unpack program %s: %w", program, err)
	}
	return true, nil
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
