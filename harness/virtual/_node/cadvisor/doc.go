// Package cadvisor names cAdvisor's types. Kubernetes 1.37 moved them to another module.
package cadvisor
