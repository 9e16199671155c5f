package watch

import (
	"context"
	"time"
)

// nodes reads what the node parts report.
type nodes struct {
	api client
	to  chan<- seen
	now func() time.Time
}

func (n nodes) follow(context.Context) {}
