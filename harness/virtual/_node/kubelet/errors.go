package kubelet

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// The second of the handlers of errors sleeps when errors follow each other within a millisecond. It counts from when the process started, which for a
// bubble is decades ahead: whoever met the first error would sleep for those decades, a pod's worker for one. The first handler logs.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }
