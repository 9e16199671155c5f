// The podclock program. Run podclock --help for its commands.
package main

import (
	_ "embed" // the base configuration of clusters, and the record of mutants
	"os"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

//go:embed kind-config.yaml
var kindConfig []byte

//go:embed docs/generated/mutants/proof.json
var record []byte

func main() {
	podclock := cli.App{
		Catalogue: suites.Catalogue, Suite: specs.Suite(specs.Program{}), KindConfig: kindConfig, Record: record,
	}
	os.Exit(podclock.Main())
}
