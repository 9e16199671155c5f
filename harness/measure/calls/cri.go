package calls

// sandbox is what is checked of a PodSandboxConfig (k8s.io/cri-api).
type sandbox struct {
	Metadata struct {
		Name, UID, Namespace string
		Attempt              int
	}
	Hostname     string
	LogDirectory string `json:"log_directory"`
	PortMappings []struct {
		ContainerPort int32 `json:"container_port"`
		HostPort      int32 `json:"host_port"`
	} `json:"port_mappings"`
	Labels map[string]string
	Linux  struct {
		SecurityContext security `json:"security_context"`
		Resources       *resources
	}
}

// container is what is checked of a ContainerConfig.
type container struct {
	Metadata struct {
		Name    string
		Attempt int
	}
	Image         struct{ Image string }
	Command, Args []string
	Envs          []struct{ Key, Value string }
	Mounts        []struct {
		ContainerPath string `json:"container_path"`
		HostPath      string `json:"host_path"`
	}
	Labels, Annotations map[string]string
	LogPath             string `json:"log_path"`
	Linux               struct {
		SecurityContext security `json:"security_context"`
		Resources       resources
	}
}

// resources is what is checked of LinuxContainerResources. 0 is no limit.
type resources struct {
	CPUShares   int64 `json:"cpu_shares"`
	CPUQuota    int64 `json:"cpu_quota"`
	MemoryLimit int64 `json:"memory_limit_in_bytes"`
}

type security struct {
	Privileged bool
	RunAsUser  struct{ Value int64 } `json:"run_as_user"`
	Groups     []int64               `json:"supplemental_groups"`
	NoNewPrivs bool                  `json:"no_new_privs"`
	Namespaces struct {
		Network, PID int
	} `json:"namespace_options"`
	Seccomp *struct {
		Type int `json:"profile_type"`
	}
}

// Values of the container runtime's interface.
const (
	podNamespace, containerNamespace, nodeNamespace = 0, 1, 2
	runtimeDefault, unconfined, localhost           = 0, 1, 2
)
