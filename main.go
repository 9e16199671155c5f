// The podclock program: podclock --help says what it does.
package main

import (
	"os"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
)

func main() { os.Exit(cli.Main(suites.Catalogue)) }
