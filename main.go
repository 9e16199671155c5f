// The podclock program. Run podclock --help for its commands.
package main

import (
	_ "embed" // the base configuration of clusters
	"os"

	"github.com/podclock/podclock/reports/cli"
	"github.com/podclock/podclock/suites"
)

//go:embed kind-config.yaml
var kindConfig []byte

func main() { os.Exit(cli.Main(suites.Catalogue, kindConfig)) }
