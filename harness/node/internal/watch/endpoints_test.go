package watch

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/timeline"
)

func TestEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		begun := time.Now()
		of := func(uid string, ready, terminating bool) discoveryv1.Endpoint {
			return discoveryv1.Endpoint{
				TargetRef: &corev1.ObjectReference{UID: types.UID(uid)},
				Conditions: discoveryv1.EndpointConditions{Ready: &ready, Serving: new(true),
					Terminating: &terminating},
			}
		}
		slice := func(all ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
			return &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{UID: "slice"}, Endpoints: all}
		}
		w := NewEndpoints()
		for _, s := range []*discoveryv1.EndpointSlice{
			slice(of("a", true, false)),
			slice(of("a", true, false), of("b", true, false)),
			slice(of("a", false, true), of("b", true, false)),
			slice(of("b", true, false), discoveryv1.Endpoint{}), // without a pod
		} {
			w.Take(s, false)
			time.Sleep(time.Second)
		}
		w.Take(cache.DeletedFinalStateUnknown{Obj: slice(of("b", true, false))}, true)
		w.Take(&corev1.Pod{}, false)

		changes := func(uid string) []timeline.EndpointChange {
			return w.Of(uid, func(from, _ time.Time) timeline.Instant {
				return timeline.Instant{At: int64(from.Sub(begun) / time.Second)}
			})
		}
		at := func(second int64) timeline.Instant { return timeline.Instant{At: second} }
		g.Expect(changes("a")).To(Equal([]timeline.EndpointChange{
			{At: at(0), Ready: true, Serving: true}, {At: at(2), Serving: true, Terminating: true}, {At: at(3)},
		}))
		g.Expect(changes("b")).To(Equal([]timeline.EndpointChange{
			{At: at(1), Ready: true, Serving: true}, {At: at(4)},
		}))
		g.Expect(changes("")).To(BeEmpty())
	})
}
