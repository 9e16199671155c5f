//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/podclock/podclock/harness/measure/victim"
)

// call requests from a Service every victim.CallEvery, each time by a new connection. Failures are no trouble: the
// marks of those that it reaches show what the Service did. Calls overlap, so one that hangs delays none.
func call(ctx context.Context, address string) {
	client := &http.Client{
		Timeout: victim.CallTimeout, Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	}
	url := "http://" + address + victim.RequestPath
	places := make(chan struct{}, int(victim.CallTimeout/victim.CallEvery))
	ticks := time.NewTicker(victim.CallEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return
			}
			if answer, err := client.Do(request); err == nil {
				_ = answer.Body.Close()
			}
		}()
	}
}

// service returns the address of a client's Service, or "" for others.
func service(run victim.Run) (string, error) {
	if !run.Calls {
		return "", nil
	}
	address := os.Getenv(victim.EnvService)
	if address == "" {
		return "", fmt.Errorf("the environment lacks %s: set it in the pod's spec", victim.EnvService)
	}
	return address, nil
}
