package mark

import "fmt"

// Pulled is an attempt to pull an image from the recorder, which answers like a registry without images. Its Identity
// has only what the path contains: Pod and Container.
const Pulled Kind = "pulled"

// PullPath is the path, as a net/http pattern, of a container runtime's request for [UnpullableImage].
const PullPath = "/v2/{namespace}/{pod}/{container}/manifests/{tag}"

// UnpullableImage returns an image that does not exist, for a container of a pod. Whoever pulls it asks the recorder
// of its own node, which marks the attempt. A container runtime uses plain HTTP for a registry on its own host.
func UnpullableImage(namespace, pod, container string) string {
	return fmt.Sprintf("127.0.0.1:%d/%s/%s/%s:1", ReaderPort, namespace, pod, container)
}
