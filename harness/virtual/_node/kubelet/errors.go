package kubelet

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// Of the handlers of errors that Kubernetes has, one sleeps when errors follow each other within a
// millisecond. It counts from when the process started, which for a bubble is decades ahead: whoever met
// the first error would sleep for those decades, a pod's worker for one. So there is one alone, which logs.
func init() { utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{logError} }

// logError logs an error as Kubernetes' own handler does (util/runtime logError): with the place where it
// was handled, three calls above.
func logError(ctx context.Context, err error, message string, keysAndValues ...any) {
	klog.LoggerWithName(klog.FromContext(ctx).WithCallDepth(3), "UnhandledError").Error(err, message, keysAndValues...)
}
