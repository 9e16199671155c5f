package api

import "slices"

// Stop ends the server's goroutines, because a test's bubble ends with its last goroutine. A node's server ends with
// the process.
func (s *Server) Stop() {
	s.cancel()
	s.own.Sever()
	s.log.close()
}

// close ends all watches and feeds.
func (h *history) close() {
	h.mu.Lock()
	watchers, feeds := slices.Clone(h.watchers), h.feeds
	h.mu.Unlock()
	for _, w := range watchers {
		w.Stop()
	}
	for _, f := range feeds {
		f.queue.close()
	}
}
