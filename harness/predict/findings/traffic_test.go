package findings

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

const service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n" +
	"spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}\n"

// served returns a pod that the Service can select, and the Service with a further field.
func served(grace, container, field string) string {
	return strings.Replace(strings.Replace(podOf("", container), "{name: web}", "{name: web, labels: {app: web}}", 1),
		"GracePeriodSeconds: 30", "GracePeriodSeconds: "+grace, 1) +
		strings.Replace(service, "selector: {app", field+"selector: {app", 1)
}

// A Service routes to a pod for up to five seconds after its delete. Only a hook that lasts as long, or a Service that
// does not route to the container, makes no finding.
func TestSignalBeforeRoutesEnd(t *testing.T) {
	const port = "ports: [{containerPort: 8080, name: http}]\n"
	sleep := func(seconds string) string { return port + "lifecycle: {preStop: {sleep: {seconds: " + seconds + "}}}" }
	for name, c := range map[string]struct {
		text    string
		kubelet formula.Kubelet
		says    string
		fix     string
	}{
		"no hook": {served("30", port, ""), newest, "SIGTERM may come 0 s after a delete, but proxies may send new " +
			"connections through Service web until 5 s after it, or until the pod's end if no other pod of the Service is ready: they", "set lifecycle.preStop.sleep.seconds to 5 or more"},
		"a short sleep": {served("30", sleep("4"), ""), newest, "SIGTERM may come 4 s after a delete", "seconds to 5 or more"},
		"a sleep cut by the grace period": {served("3", port+"lifecycle: {preStop: {exec: {command: [sleep, \"10\"]}}}", ""), newest, "SIGTERM may come 3 s after a delete",
			"seconds to 5 or more, and terminationGracePeriodSeconds to 7 or more"},
		"an old kubelet": {served("30", port, ""), formula.Kubelet{Version: "v1.28.15"}, "SIGTERM may come 0 s",
			"let a preStop hook run sleep 5, or longer"},
		"an old proxy": {served("30", port, ""), formula.Kubelet{Version: "v1.25.16"}, "until 5 s after it: they fail",
			"let a preStop hook run sleep 5, or longer"},
		"no ports":        {served("30", "", ""), newest, "SIGTERM may come 0 s after a delete", "sleep.seconds"},
		"long enough":     {served("30", sleep("5"), ""), newest, "", ""},
		"another port":    {served("30", "ports: [{containerPort: 9090, name: metrics}]", ""), newest, "", ""},
		"headless":        {served("30", port, "clusterIP: None, "), newest, "", ""},
		"another pod":     {strings.Replace(served("30", port, ""), "{app: web}, ports", "{app: db}, ports", 1), newest, "", ""},
		"cannot be read":  {strings.Replace(served("30", port, ""), "port: 80", "port: eighty", 1), newest, "", ""},
		"another is read": {served("30", port, "") + strings.Replace(service, "app: web", "app: db", 1), newest, "", ""},
		"published": {served("30", sleep("20"), "publishNotReadyAddresses: true, "), newest,
			"it sends new connections to the pod until its object is gone", "let only a headless Service"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, err := manifest.Read(strings.NewReader(c.text), "")
			g.Expect(err).NotTo(HaveOccurred())
			var says, fix string
			for _, f := range Of(workload(m, 0, c.kubelet)) {
				if fmt.Sprintf("%s %s ", f.Level, f.Rule) == "warning signal-before-routes-end " {
					says, fix = says+f.Description, fix+f.Fix
				}
			}
			if c.says == "" {
				g.Expect(says).To(BeEmpty())
				return
			}
			g.Expect(says).To(ContainSubstring(c.says))
			g.Expect(fix).To(ContainSubstring(c.fix))
		})
	}
}
