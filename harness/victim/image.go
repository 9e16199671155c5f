package victim

// Program is the fault program's path in its image: the first word of an exec hook's or exec probe's command.
const Program = "/fault"

// The images of the fault program besides the usual one, as a container's image before it is deployed:
// whoever deploys the pod puts the full reference in its place, as it does where the image is empty, which
// means the usual one.
const (
	// OtherImage is the same program in an image of another ID, for trials in which a container's image changes.
	OtherImage = "fault-other"
	// UnpullableImage is no image at all: it becomes mark.UnpullableImage, whose pulls the recorder of the
	// node refuses and marks.
	UnpullableImage = "unpullable"
	// StopSignalImage is the same program in an image whose STOPSIGNAL is StopSignal.
	StopSignalImage = "fault-stop-signal"
)

// StopSignal is the stop signal that StopSignalImage asks the container runtime for. It is none that a
// runtime or the kubelet sends by itself.
const StopSignal = "SIGUSR1"

// The environment of every victim container; the downward API fills it.
const (
	// EnvRecorder is the recorder's address: the node's address (status.hostIP), with or without a port.
	EnvRecorder = "PODCLOCK_RECORDER"
	// EnvPod is the pod's namespace/name.
	EnvPod = "PODCLOCK_POD"
	// EnvUID is the pod's metadata.uid.
	EnvUID = "PODCLOCK_UID"
	// EnvContainer is the container's name, which the downward API does not know: the pod's builder writes it.
	EnvContainer = "PODCLOCK_CONTAINER"
)

// Exit codes by which the fault program says that it could not do what the pod's spec asks. No behaviour
// may use them: they make a broken set-up tell itself apart from a scripted fault.
const (
	// ExitUsage is a command line or environment that makes no sense.
	ExitUsage = 120
	// ExitNoRecorder is a recorder that could not be reached or that refused the process.
	ExitNoRecorder = 121
	// ExitNoMain is an exec probe whose main process could not be asked.
	ExitNoMain = 122
	// ExitNotServing is a main process that could not serve its probes: a port that is taken, or a missing
	// CAP_NET_RAW for TCP.
	ExitNotServing = 123
	// ExitNotKilled is a main process that allocated memory and was not killed for it: its container has no
	// memory limit.
	ExitNotKilled = 124
)
