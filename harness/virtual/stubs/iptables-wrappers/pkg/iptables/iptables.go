// Package iptables replaces the package of this name, which the kubelet uses since 1.38, on a node without iptables.
package iptables

import (
	"context"
	"time"
)

// The types of the real package.
type (
	Table        string
	Chain        string
	RulePosition string
	Protocol     string
	Mode         int
)

// The constants of the real package that the kubelet uses.
const (
	TableMangle, TableNAT, TableFilter Table        = "mangle", "nat", "filter"
	ChainOutput, ChainInput            Chain        = "OUTPUT", "INPUT"
	Prepend, Append                    RulePosition = "-I", "-A"
	UseInstalledMode                   Mode         = 0
)

// Interface is what the kubelet uses of iptables.
type Interface interface {
	EnsureChain(ctx context.Context, table Table, chain Chain) (bool, error)
	EnsureRule(ctx context.Context, position RulePosition, table Table, chain Chain, args ...string) (bool, error)
	IsIPv6() bool
	Protocol() Protocol
	Monitor(ctx context.Context, canary Chain, tables []Table, reload func(), interval time.Duration)
}

// NewBestEffort returns nothing: there is no iptables.
func NewBestEffort(context.Context, Mode) map[Protocol]Interface { return nil }
