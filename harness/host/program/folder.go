package program

import (
	"os"
	"path/filepath"
)

// Folder returns the folder of the running program, or "" if the system does not know it.
func Folder() string {
	file, err := os.Executable()
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(file)
}
