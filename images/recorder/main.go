//go:build linux

// The recorder receives the marks of all victims on its node. One runs on each node, in the host's network, without
// privileges. With --ends it is the node part of an observation instead: it sees the processes of all containers end.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/images/recorder/ends"
	"github.com/podclock/podclock/images/recorder/record"
)

// readerConns is the maximum number of HTTP connections of readers and health checks.
const readerConns = 64

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

func run() error {
	marks := pflag.String("marks-address", fmt.Sprintf(":%d", mark.Port), "address for the victims' connections")
	reader := pflag.String("reader-address", fmt.Sprintf(":%d", mark.ReaderPort), "address for HTTP requests")
	patience := pflag.Duration(
		"patience",
		30*time.Second,
		"how long to wait for the ports, which the recorder of the previous run may still use",
	)
	kubelet := pflag.String("kubelet", record.KubeletURL, "URL that the node's kubelet answers; empty: do not ask it")
	runtime := pflag.String(
		"container-runtime", record.RuntimeURL, "URL that the node's container runtime answers; empty: do not ask it")
	unread := pflag.Duration("unread-for", 0, "end if nobody reads the recorder for this long; 0: never")
	onlyEnds := pflag.Bool("ends", false, "only write when the main processes of the node's containers end")
	pflag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *onlyEnds {
		w, err := ends.New("/proc")
		if err != nil {
			return err
		}
		return w.Run(ctx, ends.Epoch(), os.Stdout)
	}
	bounded, cancel := context.WithTimeout(ctx, *patience)
	defer cancel()
	victims, err := listen(bounded, *marks)
	if err != nil {
		return fmt.Errorf("listening for victims: %w", err)
	}
	readers, err := listen(bounded, *reader)
	if err != nil {
		return fmt.Errorf("listening for the harness: %w", err)
	}
	programs := []record.Asked{{Of: mark.Kubelet, URL: *kubelet}, {Of: mark.ContainerRuntime, URL: *runtime}}
	err = serve(ctx, victims, readers, record.New(record.Options{Owner: os.Getenv(victim.EnvUID)}), programs, *unread)
	if errors.Is(err, record.ErrUnread) {
		fmt.Println("recorder:", err)
		return nil
	}
	return err
}

const portsEvery = 50 * time.Millisecond

// listen takes a port as soon as it is free. It tries until ctx ends.
func listen(ctx context.Context, address string) (net.Listener, error) {
	for {
		listener, err := net.Listen("tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return listener, err
		}
		select {
		case <-time.After(portsEvery):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (is another recorder on this node?)", err)
		}
	}
}

func serve(
	ctx context.Context, marks, reader net.Listener, recorder *record.Recorder, programs []record.Asked,
	unread time.Duration,
) error {
	server := &http.Server{
		Handler:           recorder.Reader(),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      mark.MaxWait + 20*time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return recorder.TakeMarks(ctx, marks) })
	group.Go(func() error { recorder.Watch(ctx); return nil })
	for _, program := range programs {
		if program.URL != "" {
			group.Go(func() error { recorder.Ask(ctx, program); return nil })
		}
	}
	if unread > 0 {
		group.Go(func() error { return recorder.AwaitUnread(ctx, unread) })
	}
	group.Go(func() error {
		if err := server.Serve(netutil.LimitListener(reader, readerConns)); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving the harness: %w", err)
		}
		return nil
	})
	group.Go(func() error { <-ctx.Done(); return server.Close() })
	fmt.Printf("recorder: taking marks on %s, serving readers on %s\n", marks.Addr(), reader.Addr())
	return group.Wait()
}
