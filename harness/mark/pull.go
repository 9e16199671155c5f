package mark

import "fmt"

// Pulled is an attempt to pull an image from the recorder, which answers like a registry that has none. Its
// Identity holds no more than the path tells: Pod and Container, neither UID nor Role.
const Pulled Kind = "pulled"

// PullPath is the path, as a pattern of net/http, by which a container runtime asks for what [UnpullableImage] names.
const PullPath = "/v2/{namespace}/{pod}/{container}/manifests/{tag}"

// UnpullableImage is an image that can't be had, for a container of the pod namespace/name: whoever tries
// to pull it asks the recorder of its own node, which marks the attempt. A container runtime speaks plain
// HTTP to a registry on its own host.
func UnpullableImage(namespace, pod, container string) string {
	return fmt.Sprintf("127.0.0.1:%d/%s/%s/%s:1", ReaderPort, namespace, pod, container)
}
