// The podclock program: podclock --help says what it does.
package main

import (
	"os"

	"github.com/podclock/podclock/suites/podclock"
)

func main() { os.Exit(podclock.Main()) }
