package kubelet

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd"
)

// systemBus is how old shutdown managers connect to the system bus.
//
//go:linkname systemBus k8s.io/kubernetes/pkg/kubelet/nodeshutdown.systemDbus
var systemBus func()

// announcing makes the kubelet's shutdown manager learn of a shutdown from a channel instead of the system bus.
func announcing(kl *kubelet.Kubelet, shutdown <-chan bool) error {
	manager, err := private(kl, "shutdownManager")
	if err != nil {
		return err
	}
	if manager.Elem().Kind() != reflect.Pointer {
		return nil // the stub of a kubelet without graceful shutdown
	}
	bus, err := private(kl, "shutdownManager", "dbusCon")
	if err != nil {
		return err
	}
	var own reflect.Value
	for _, b := range []any{login{shutdown}, oldLogin{login{shutdown}}} {
		if reflect.TypeOf(b).Implements(bus.Type()) {
			own = reflect.ValueOf(b).Convert(bus.Type())
		}
	}
	if !own.IsValid() {
		return fmt.Errorf("%v has other methods in this version: adapt login", bus.Type())
	}
	connect, err := private(kl, "shutdownManager", "newDBusConn")
	if err != nil { // before 1.37
		failure := reflect.TypeFor[error]()
		f := reflect.FuncOf(nil, []reflect.Type{bus.Type(), failure}, false)
		connect = reflect.NewAt(f, unsafe.Pointer(&systemBus)).Elem()
	}
	connect.Set(reflect.MakeFunc(connect.Type(), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{own, reflect.Zero(connect.Type().Out(1))}
	}))
	return nil
}

// login is systemd-logind, as the shutdown manager uses it.
type login struct{ shutdown <-chan bool }

func (login) CurrentInhibitDelay() (time.Duration, error)        { return time.Hour, nil }
func (login) OverrideInhibitDelay(time.Duration) error           { return nil }
func (login) ReloadLogindConf() error                            { return nil }
func (login) InhibitShutdown() (systemd.InhibitLock, error)      { return 1, nil }
func (login) ReleaseInhibitLock(systemd.InhibitLock) error       { return nil }
func (login) Close() error                                       { return nil }
func (l login) MonitorShutdown(klog.Logger) (<-chan bool, error) { return l.shutdown, nil }

// oldLogin is for kubelets before 1.34.
type oldLogin struct{ login }

func (l oldLogin) MonitorShutdown() (<-chan bool, error) { return l.shutdown, nil }
