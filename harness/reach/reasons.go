package reach

// Files in which reasons are given.
const (
	allocations        = kubelet + "/allocation/allocation_manager.go"
	allocationFeatures = kubelet + "/allocation/features_linux.go"
	allocationHandlers = kubelet + "/allocation/handlers.go"
)

// Reasons that several functions share.
const (
	volumeResizes = "resizes of volumes are alpha"
	lockedGate    = "the gate is locked"
	noCheckpoint  = "the checkpoint of resources cannot be written"
	// infeasible is why no resize of a released kubelet is infeasible.
	infeasible = "only swap and exclusive CPUs or memory, which are off by default, make a resize infeasible"
	bothPods   = "callers have both pods"
	resizeEnds = "the pod is gone, and its resize with it"
)

// Files in which reasons are given.
const (
	kubeletGo   = kubelet + "/kubelet.go"
	podsGo      = kubelet + "/kubelet_pods.go"
	workersGo   = kubelet + "/pod_workers.go"
	cacheGo     = kubelet + "/container/cache.go"
	containerGo = kubelet + "/container/helpers.go"
	runtimeGo   = kubelet + "/container/runtime.go"
	mirrorGo    = kubelet + "/pod/mirror_client.go"
	managerGo   = kubelet + "/pod/pod_manager.go"
	generateGo  = kubelet + "/status/generate.go"
	statusGo    = kubelet + "/status/status_manager.go"
	typesGo     = kubelet + "/types/pod_update.go"
)

// Reasons that several functions share.
const (
	noCgroups  = "pods of a virtual node have no cgroups, and its kubelet runs without cgroupsPerQOS"
	noClaims   = "a virtual node has no devices and no resource claims"
	noSecondIP = "only the first address of a pod is probed"
	oneOrder   = "two goroutines must race, and the virtual lane plays one order of them"
	kubeletBug = "only a bug elsewhere in the kubelet leads here"
	alphaGate  = "the feature gate is alpha and off by default"
	oldGate    = "the feature gate of the other branch is on by default"
	httpServer = "it answers a request to the kubelet's HTTP server"
	onlyEvent  = "it only adds an event"
	hostsFile  = "it writes the container's /etc/hosts and hostname"
	mounts     = "it describes a container's mounts and devices. Trials reach what follows an error"
	variables  = "it fills a container's environment variables"
	resources  = "it shows a container's resources"
	windows    = "kubelets on Linux do not call it"
	allStates  = "the kubelet makes a status with one of three states for every container of the spec"
	metricOnly = "it only feeds a metric"
	noWorker   = "housekeeping kills only containers of pods that have no worker"
	failedSync = "only errors of a sandbox's status and of its RuntimeClass lead here"
	noServer   = "a kubelet that has not heard of the API server yet removes no pod"
	podGone    = "the pod is gone from the API or its file, so its end has begun"
	replaced   = "a result of a container that another one has replaced changes nothing"
	probedLate = "a pod has a status from before its first probe until its end"
	mirrorOnly = "a mirror pod without its static pod runs nothing"
	allocated  = "the check of allocated resources before it leaves out every mirror pod"
	debugging  = "it shows containers for debugging, which never restart"
	lostState  = "the runtime has a container and does not know its state"
	gatesOnly  = "only a check of readiness gates lacks statuses, and it ends no container"
	endedReady = "it shows that a pod that has ended is not ready"
	sentAgain  = "the kubelet sends the status again"
	criBroken  = "a runtime that has stopped a container reports that it runs"
	oneSource  = "only the last pod of a file is wanted, and a virtual node has no second source of static pods"
)

// Files in which reasons are given.
const (
	backOffs          = "k8s.io/client-go/util/flowcontrol/backoff.go"
	podUtil           = "k8s.io/kubernetes/pkg/api/v1/pod/util.go"
	evictionManager   = kubelet + "/eviction/eviction_manager.go"
	evictionHelpers   = kubelet + "/eviction/helpers.go"
	evictionNotifier  = kubelet + "/eviction/memory_threshold_notifier.go"
	admissionStub     = kubelet + "/lifecycle/admission_failure_handler_stub.go"
	admissionFeatures = kubelet + "/lifecycle/features_linux.go"
	hookHandlers      = kubelet + "/lifecycle/handlers.go"
	admission         = kubelet + "/lifecycle/predicate.go"
	shutdowns         = kubelet + "/nodeshutdown/nodeshutdown_manager.go"
	shutdownsLinux    = kubelet + "/nodeshutdown/nodeshutdown_manager_linux.go"
	plegGeneric       = kubelet + "/pleg/generic.go"
	preemptions       = kubelet + "/preemption/preemption.go"
	probers           = kubelet + "/prober/prober.go"
	proberManager     = kubelet + "/prober/prober_manager.go"
	proberResults     = kubelet + "/prober/results/results_manager.go"
	proberWorker      = kubelet + "/prober/worker.go"
	execProbe         = "k8s.io/kubernetes/pkg/probe/exec/exec.go"
	grpcProbe         = "k8s.io/kubernetes/pkg/probe/grpc/grpc.go"
	httpProbe         = "k8s.io/kubernetes/pkg/probe/http/http.go"
	httpRequest       = "k8s.io/kubernetes/pkg/probe/http/request.go"
	tcpProbe          = "k8s.io/kubernetes/pkg/probe/tcp/tcp.go"
	probePorts        = "k8s.io/kubernetes/pkg/probe/util.go"
	apiDeletes        = "k8s.io/apiserver/pkg/registry/rest/delete.go"
	apiEvictions      = "k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go"
	podStrategy       = "k8s.io/kubernetes/pkg/registry/core/pod/strategy.go"
)

// ownProcesses is why a virtual node cannot run out of processes.
const ownProcesses = "a virtual node counts the processes of its host, which its pods' are not among"

// Files in which reasons are given.
const (
	imageManagerFile = kubelet + "/images/image_manager.go"
	imageHelpers     = kubelet + "/images/helpers.go"
	runtimeHelpers   = kubelet + "/kuberuntime/helpers.go"
	runtimeContainer = kubelet + "/kuberuntime/kuberuntime_container.go"
	runtimeGC        = kubelet + "/kuberuntime/kuberuntime_gc.go"
	runtimeManager   = kubelet + "/kuberuntime/kuberuntime_manager.go"
	runtimeSandbox   = kubelet + "/kuberuntime/kuberuntime_sandbox.go"
	runtimeOrder     = kubelet + "/kuberuntime/kuberuntime_termination_order.go"
	runtimeLabels    = kubelet + "/kuberuntime/labels.go"
)

// Reasons that several functions share.
const (
	noLimit       = "the number of dead containers on a node is a flag, which sets no limit by default"
	unknownState  = "the runtime does not know the state of a container"
	ephemerals    = "ephemeral containers never restart, and end with their pod"
	lastMessage   = "it shows the message of an ended container"
	foreignLogs   = "other programs have put files into the folder of logs"
	cannotResize  = "the runtime or the kernel cannot set the resources of a pod"
	cannotStop    = "the runtime cannot stop what it has, and the next sync does the same again"
	lostSandbox   = "the runtime cannot tell the status of a sandbox that it has"
	onlyCondition = "only a condition of the status shows it"
)
