// The program that writes the web page to a folder: go run ./reports/web/build FOLDER.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/podclock/podclock/reports/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "name the folder of the web page")
		os.Exit(2)
	}
	if err := web.Build(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}
