// The podclock program. Run podclock --help for its commands.
package main

import (
	"os"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

func main() { os.Exit(cli.Main(suites.Catalogue, specs.Suite(specs.Program{}))) }
