package cri_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

func TestLives(t *testing.T) {
	inBubble(t, func(r *rig) {
		run := victim.Run{ExitAfter: []time.Duration{2 * second, 7 * second}, ExitCodes: []int{1, 0}}
		sandbox := r.sandbox()
		for life, expected := range []struct {
			after time.Duration
			code  int32
		}{{2 * second, 1}, {7 * second, 0}, {7 * second, 0}} {
			id := r.start(sandbox, r.spec(run))
			time.Sleep(expected.after)
			ended := r.status(id)
			r.Expect(ended.State).To(Equal(criapi.ContainerState_CONTAINER_EXITED))
			r.Expect(ended.ExitCode).To(Equal(expected.code))
			r.Expect(time.Duration(ended.FinishedAt - ended.StartedAt)).To(about(expected.after))
			records := r.records()
			r.Expect(records[len(records)-1]).To(And(HaveField("Kind", mark.Gone), HaveField("Life", life+1)))
		}
		r.Expect(r.runtime.Containers()).To(HaveLen(3))
	})
}

func limit(bytes int64) func(*criapi.ContainerConfig) {
	return func(c *criapi.ContainerConfig) {
		c.Linux = &criapi.LinuxContainerConfig{
			Resources: &criapi.LinuxContainerResources{MemoryLimitInBytes: bytes},
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{OOMAfter: 3 * second}, limit(64<<20))
		time.Sleep(4 * second)
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started gone"))
		ended := r.status(id)
		r.Expect(ended.ExitCode).To(BeEquivalentTo(137))
		r.Expect(ended.Reason).To(Equal("OOMKilled"))
	})
	inBubble(t, func(r *rig) {
		id := r.victim(victim.Run{OOMAfter: 3 * second})
		time.Sleep(4 * second)
		r.Expect(r.status(id).ExitCode).To(BeEquivalentTo(victim.ExitNotKilled))
		r.Expect(r.stderr.String()).To(ContainSubstring("the container needs a memory limit"))
	})
}

func TestFill(t *testing.T) {
	inBubble(t, func(r *rig) {
		var filled []string
		r.open(cri.Options{Fill: func(c cri.Container, run victim.Run) error {
			filled = append(filled, fmt.Sprint(c.PodName, " ", c.Name, " ", c.Mounts[run.FillDir], " ", run.FillBytes))
			return errors.New("the disk is full")
		}})
		r.victim(
			victim.Run{FillDir: "/data", FillAfter: 2 * second, FillBytes: 5},
			func(c *criapi.ContainerConfig) {
				c.Mounts = []*criapi.Mount{{ContainerPath: "/data", HostPath: "/host/data"}}
			},
		)
		time.Sleep(3 * second)
		synctest.Wait()
		r.Expect(filled).To(Equal([]string{"pod-1 victim /host/data 5"}))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started fill-began filled"))
		r.Expect(r.first(mark.Filled).Detail.Note).To(Equal("the disk is full"))
	})
}

func TestBallastAndStats(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.open(cri.Options{Stats: func(c cri.Container) *criapi.ContainerStats {
			layer := &criapi.FilesystemUsage{UsedBytes: &criapi.UInt64Value{Value: 5}}
			memory := &criapi.MemoryUsage{WorkingSetBytes: &criapi.UInt64Value{Value: uint64(c.Ballast) << 20}}
			return &criapi.ContainerStats{WritableLayer: layer, Memory: memory}
		}})
		id := r.victim(victim.Run{Ballast: 40})
		r.Expect(r.runtime.Containers()).
			To(ConsistOf(And(HaveField("Ballast", 40), HaveField("Running", true), HaveField("PodUID", "uid-1"))))
		stats, err := r.ListContainerStats(context.Background(), nil)
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(stats).To(HaveLen(1))
		r.Expect(stats[0].GetMemory().GetWorkingSetBytes().GetValue()).To(BeEquivalentTo(40 << 20))
		r.Expect(r.StopContainer(context.Background(), id, 0)).To(Succeed())
		r.Expect(r.runtime.Containers()).To(ConsistOf(And(HaveField("Ballast", 0), HaveField("Running", false))))
		stats, err = r.ListContainerStats(context.Background(), &criapi.ContainerStatsFilter{Id: id})
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(stats[0].GetMemory()).To(BeNil())
		r.Expect(stats[0].GetWritableLayer().GetUsedBytes().GetValue()).To(BeEquivalentTo(5))
	})
}

func TestInvalidSpecIsReported(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*criapi.ContainerConfig)
		code   int32
		says   string
	}{
		{"arguments", func(c *criapi.ContainerConfig) { c.Args = []string{"run", "--liveness=X"} },
			victim.ExitUsage, "'X', letter 1"},
		{"environment", func(c *criapi.ContainerConfig) { c.Envs = c.Envs[1:] }, victim.ExitUsage, victim.EnvPod},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				id := r.victim(victim.Run{}, c.change)
				r.Expect(r.status(id).ExitCode).To(Equal(c.code))
				r.Expect(r.stderr.String()).To(ContainSubstring(c.says))
				r.Expect(r.records()).To(BeEmpty())
			})
		})
	}
}

// A container that starts slowly is created until its process runs.
func TestSlowStart(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.open(cri.Options{ContainerStart: 65 * second})
		sandbox := r.sandbox()
		id, err := r.CreateContainer(context.Background(), sandbox, r.spec(victim.Run{}), nil)
		r.Expect(err).NotTo(HaveOccurred())
		go func() { r.Expect(r.StartContainer(context.Background(), id)).To(Succeed()) }()
		time.Sleep(64 * second)
		r.Expect(r.status(id).State).To(Equal(criapi.ContainerState_CONTAINER_CREATED))
		time.Sleep(2 * second)
		r.Expect(r.status(id).State).To(Equal(criapi.ContainerState_CONTAINER_RUNNING))
	})
}

func TestStartThatCannotBe(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		create := func(change func(*criapi.ContainerConfig)) string {
			id, err := r.CreateContainer(context.Background(), sandbox, r.spec(victim.Run{}, change), nil)
			r.Expect(err).NotTo(HaveOccurred())
			return id
		}
		none := func(*criapi.ContainerConfig) {}
		id := create(func(c *criapi.ContainerConfig) { c.Command = []string{"/no-such-program"} })
		r.Expect(r.StartContainer(context.Background(), id)).To(MatchError(ContainSubstring("stat /no-such-program")))
		r.Expect(r.status(id).Reason).To(Equal("StartError"))
		r.Expect(r.status(id).ExitCode).To(BeEquivalentTo(128))

		id = create(none)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		r.Expect(status.Code(r.StartContainer(ctx, id))).To(Equal(codes.DeadlineExceeded))
		r.Expect(r.status(id).Reason).To(Equal("StartError"))

		id = create(none)
		r.Expect(r.StopPodSandbox(context.Background(), sandbox)).To(Succeed())
		r.Expect(r.StartContainer(context.Background(), id)).To(MatchError(ContainSubstring("is not running")))
		r.Expect(r.records()).To(BeEmpty())
	})
}

// The end of the pause process ends the processes of its pod if they share them.
func TestSandboxEnds(t *testing.T) {
	inBubble(t, func(r *rig) {
		run := victim.Run{EndSandboxAfter: []time.Duration{3 * second, -1}}
		in := func(processes criapi.NamespaceMode) string {
			return r.sandbox(func(c *criapi.PodSandboxConfig) {
				c.Linux = &criapi.LinuxPodSandboxConfig{SecurityContext: &criapi.LinuxSandboxSecurityContext{
					NamespaceOptions: &criapi.NamespaceOption{Pid: processes},
				}}
			})
		}
		alone := r.start(in(criapi.NamespaceMode_CONTAINER), r.spec(run))
		id := r.start(in(criapi.NamespaceMode_POD), r.spec(run))
		time.Sleep(4 * second)
		ended := r.status(id)
		r.Expect(ended.State).To(Equal(criapi.ContainerState_CONTAINER_EXITED))
		r.Expect(ended.ExitCode).To(BeEquivalentTo(137))
		r.Expect(r.status(alone).ExitCode).To(BeEquivalentTo(victim.ExitNotKilled))
		ready, err := r.ListPodSandbox(context.Background(), &criapi.PodSandboxFilter{
			State: &criapi.PodSandboxStateValue{State: criapi.PodSandboxState_SANDBOX_READY},
		})
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(ready).To(HaveLen(1))
	})
}

// After a reboot the runtime finds no process, and knows of no end.
func TestReboot(t *testing.T) {
	inBubble(t, func(r *rig) {
		id := r.start(r.sandbox(), r.spec(victim.Run{}))
		exits := r.start(r.sandbox(), r.spec(victim.Run{ExitAfter: []time.Duration{second}, ExitCode: 3}))
		time.Sleep(2 * second)
		r.runtime.Reboot()
		time.Sleep(second)
		lost := r.status(id)
		r.Expect(lost.State).To(Equal(criapi.ContainerState_CONTAINER_EXITED))
		r.Expect(lost.ExitCode).To(BeEquivalentTo(255))
		r.Expect(lost.Reason).To(Equal("Unknown"))
		r.Expect(r.status(exits).ExitCode).To(BeEquivalentTo(3))
		ready, err := r.ListPodSandbox(context.Background(), &criapi.PodSandboxFilter{
			State: &criapi.PodSandboxStateValue{State: criapi.PodSandboxState_SANDBOX_READY},
		})
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(ready).To(BeEmpty())
	})
}

func TestWhatCannotBeCreated(t *testing.T) {
	inBubble(t, func(r *rig) {
		_, err := r.RunPodSandbox(context.Background(), &criapi.PodSandboxConfig{
			Metadata: &criapi.PodSandboxMetadata{Name: "pod", Namespace: "default", Uid: "uid"},
			Linux:    &criapi.LinuxPodSandboxConfig{Sysctls: map[string]string{"kernel.shm_rmid_forced": "no"}},
		}, "")
		r.Expect(err).To(MatchError(ContainSubstring("write sysctl key kernel.shm_rmid_forced")))
		lacks := r.spec(victim.Run{}, func(c *criapi.ContainerConfig) {
			c.Linux = &criapi.LinuxContainerConfig{SecurityContext: &criapi.LinuxContainerSecurityContext{
				Seccomp: &criapi.SecurityProfile{
					ProfileType: criapi.SecurityProfile_Localhost, LocalhostRef: "/no-such-profile",
				},
			}}
		})
		_, err = r.CreateContainer(context.Background(), r.sandbox(), lacks, nil)
		r.Expect(err).To(MatchError(ContainSubstring("failed to load seccomp profile")))
	})
}

func TestRemoval(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		id := r.start(sandbox, r.spec(victim.Run{Term: victim.Ignore}))
		r.Expect(r.RemoveContainer(context.Background(), id)).To(Succeed())
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started gone"))
		_, err := r.ContainerStatus(context.Background(), id, false)
		r.Expect(status.Code(err)).To(Equal(codes.NotFound))
		r.Expect(r.RemoveContainer(context.Background(), id)).To(Succeed())
		r.Expect(r.StopContainer(context.Background(), id, 1)).To(Succeed())

		second := r.start(sandbox, r.spec(victim.Run{}))
		r.Expect(r.StopPodSandbox(context.Background(), sandbox)).To(Succeed())
		r.Expect(r.status(second).ExitCode).To(BeEquivalentTo(137))
		listed, err := r.ListPodSandbox(context.Background(), &criapi.PodSandboxFilter{
			State: &criapi.PodSandboxStateValue{State: criapi.PodSandboxState_SANDBOX_READY},
		})
		r.Expect(err).NotTo(HaveOccurred())
		r.Expect(listed).To(BeEmpty())
		r.Expect(r.RemovePodSandbox(context.Background(), sandbox)).To(Succeed())
		_, err = r.PodSandboxStatus(context.Background(), sandbox, false)
		r.Expect(status.Code(err)).To(Equal(codes.NotFound))
		r.Expect(r.StopPodSandbox(context.Background(), sandbox)).To(Succeed())
	})
}
