package session

import "github.com/podclock/podclock/harness/cluster"

// Cluster is the node lane's cluster, nil before it is up. It is for those who disturb its nodes while trials run.
func (s *Session) Cluster() *cluster.Cluster { return s.cluster }
