// The program that writes the web page to a folder: go run ./reports/predict/web/build FOLDER.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/podclock/podclock/reports/predict/web"
)

func main() {
	if err := build(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(args []string) error {
	if len(args) != 1 {
		return errors.New("name the folder of the web page")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return web.Build(ctx, args[0])
}
