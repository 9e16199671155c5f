package api

import "slices"

// Stop ends all that the server runs by itself, since a test's bubble ends with its last goroutine. A
// node's server ends with the node's process.
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
