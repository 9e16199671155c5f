// The podclock program. Run podclock --help for its commands.
package main

import (
	_ "embed" // the base configuration of clusters
	"os"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/specs"
)

//go:embed kind-config.yaml
var kindConfig []byte

func main() {
	podclock := cli.App{Catalogue: suites.Catalogue, Suite: specs.Suite(specs.Program{}), KindConfig: kindConfig}
	os.Exit(podclock.Main())
}
