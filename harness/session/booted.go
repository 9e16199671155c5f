package session

// Booted says whether the run booted its cluster itself, rather than finding one that an earlier run had kept.
func (s *Session) Booted() bool { return s.cluster != nil && !s.cluster.Adopted }
