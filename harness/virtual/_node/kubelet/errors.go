package kubelet

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// One of Kubernetes' error handlers sleeps when errors follow each other within a millisecond. It counts from the
// start of the process, which is decades ahead in a bubble: the goroutine of the first error would sleep for
// decades. So only one handler is left, which logs.
func init() { utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{logError} }

// logError logs an error as Kubernetes' own handler does (util/runtime logError), with the caller three levels
// above.
func logError(ctx context.Context, err error, message string, keysAndValues ...any) {
	klog.LoggerWithName(klog.FromContext(ctx).WithCallDepth(3), "UnhandledError").Error(err, message, keysAndValues...)
}
