package event

import "strings"

// starts checks that a container that started was created, and its image was there (kuberuntime_container.go
// startContainer).
func (c *checker) starts() {
	for _, container := range c.containers() {
		for _, e := range c.of(container.Name) {
			before := map[string]string{"Started": "Created", "Created": "Pulled"}[e.Reason]
			if before == "" {
				continue
			}
			n, needed := c.recorded(container.Name, e.Reason, e), c.recorded(container.Name, before, e)
			if n > needed {
				c.wrong(e.At.At, "container %s has event %s %d times, but %s %d times", container.Name, e.Reason, n,
					before, needed)
			}
		}
	}
}

// stops checks that a container that is stopped with its pod does not start again (kuberuntime_container.go
// killContainersWithSyncResult). It may in a new sandbox, or if the container is one that all restart with.
func (c *checker) stops() {
	if c.has("SandboxChanged") {
		return
	}
	for _, container := range c.containers() {
		stopped, started := "", 0
		for _, e := range c.of(container.Name) {
			switch {
			case e.Reason == "Killing" && strings.HasPrefix(e.Message, "Stopping container "):
				stopped, started = e.Message, c.recorded(container.Name, "Started", e)
			case e.Reason == "Started" && stopped != "" && c.recorded(container.Name, "Started", e) > started:
				c.wrong(e.At.At, "container %s started after event Killing %q, which says that its pod ends",
					container.Name, stopped)
			}
		}
	}
}

// probeKills checks that a container that is killed for a probe failed it often enough since the kill of the life
// before (prober/worker.go doProbe). A kill that fails comes again.
func (c *checker) probeKills() {
	for _, container := range c.containers() {
		for kind, probe := range probes(&container) {
			if probe == nil {
				continue
			}
			before, killed := 0, 0
			for _, e := range c.of(container.Name) {
				failures, earlier := 0, 0 // in a second before
				for _, u := range c.reported(container.Name, "Unhealthy") {
					if u.Recorded <= e.Recorded && strings.HasPrefix(u.Message, kind+" probe ") {
						failures++
						if u.Recorded < e.Recorded {
							earlier++
						}
					}
				}
				threshold := int(max(probe.FailureThreshold, 1))
				switch {
				case e.Reason == "Started":
					before = killed
				case e.Reason != "Killing":
				case strings.Contains(e.Message, " failed "+strings.ToLower(kind)+" probe") &&
					failures-before < threshold:
					c.wrong(e.At.At, "event Killing says %q after %d events Unhealthy", e.Message, failures-before)
				default: // others of this second may be of the next life
					killed = max(earlier, min(failures, before+threshold))
				}
			}
		}
	}
}

// resizes checks that a resize that is completed or failed was started (allocation/allocation_manager.go
// handlePodResourcesResize). Kubelets before 1.35 report only the end.
func (c *checker) resizes() {
	started := false
	for _, e := range c.all {
		switch {
		case e.Reason == "ResizeStarted":
			started = true
		case (e.Reason == "ResizeCompleted" || e.Reason == "ResizeError") && !started &&
			strings.Contains(e.Message, `"generation":`):
			c.wrong(e.At.At, "event %s comes before ResizeStarted", e.Reason)
		}
	}
}
