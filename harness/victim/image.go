package victim

// Program is the fault program's path in its image: the first word of an exec hook's or exec probe's command.
const Program = "/fault"

// The images of the fault program besides the default one, as a container's image before its deployment. The
// deployment puts the full reference in their place. An empty image is the default one.
const (
	// OtherImage is the same program in an image with another ID, for trials that change a container's image.
	OtherImage = "fault-other"
	// UnpullableImage does not exist. It becomes mark.UnpullableImage, whose pulls the recorder of the node refuses
	// and marks.
	UnpullableImage = "unpullable"
	// StopSignalImage is the same program in an image whose STOPSIGNAL is StopSignal.
	StopSignalImage = "fault-stop-signal"
)

// StopSignal is the stop signal of StopSignalImage. No runtime or kubelet sends it by itself.
const StopSignal = "SIGUSR1"

// The environment of every victim container; the downward API fills it.
const (
	// EnvRecorder is the recorder's address: the node's address (status.hostIP), with or without a port.
	EnvRecorder = "PODCLOCK_RECORDER"
	// EnvPod is the pod's namespace/name.
	EnvPod = "PODCLOCK_POD"
	// EnvUID is the pod's metadata.uid.
	EnvUID = "PODCLOCK_UID"
	// EnvContainer is the container's name. The downward API does not have it, so the pod's builder writes it.
	EnvContainer = "PODCLOCK_CONTAINER"
)

// Exit codes of the fault program's own failures. No behaviour may use them, so a broken set-up differs from a
// scripted fault.
const (
	// ExitUsage is an invalid command line or environment.
	ExitUsage = 120
	// ExitNoRecorder is a recorder that could not be reached or that refused the process.
	ExitNoRecorder = 121
	// ExitNoMain is an exec probe that could not reach its main process.
	ExitNoMain = 122
	// ExitNotServing is a main process that could not serve its probes: the port is taken, or CAP_NET_RAW is missing
	// for TCP.
	ExitNotServing = 123
	// ExitNotKilled is a main process that allocated memory and was not killed for it: its container has no memory
	// limit.
	ExitNotKilled = 124
)

// The fault program's commands: the first word of its arguments.
const (
	RunCommand   = "run"
	HookCommand  = "hook"
	ProbeCommand = "probe"
)
