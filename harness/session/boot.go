package session

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/node/lab"
)

// Workers are the workers of a cluster that runs no trials.
type Workers struct {
	lab.Workers
	Cluster *cluster.Cluster
	// Subjects are those that could be put under test, Lost has the errors of the others.
	Subjects []lab.Placement
	Lost     map[string]error
	Images   lab.Images
	// Namespace exists and is empty.
	Namespace   string
	Environment run.Environment
}

// Boot boots the cluster of a resolved configuration in the node lane, and calls use with its workers. It deletes the
// cluster at the end, also after an interrupt, unless it is to be kept. dir is the folder for the logs of a failed
// boot.
func Boot(ctx context.Context, c Config, dir string, p Program, use func(context.Context, Workers) error) error {
	s := newSession(c, dir, filepath.Base(dir), time.Now(), p)
	if err := s.findEngine(ctx); err != nil {
		return err
	}
	setting, cancel := context.WithTimeout(ctx, SettingUp)
	b, err := s.boot(setting)
	cancel()
	if err != nil {
		s.saveLogs(ctx)
	} else {
		err = use(ctx, Workers{
			Workers: b.workers, Cluster: s.cluster, Subjects: b.subjects, Lost: s.lost, Images: b.images,
			Namespace: s.namespace(0), Environment: s.run.Environment,
		})
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), Ending)
	defer cancel()
	if s.cluster != nil && s.cluster.Set != nil && c.Keep {
		deleting := s.cluster.API.CoreV1().Namespaces().Delete(ending, s.namespace(0), metav1.DeleteOptions{})
		if !apierrors.IsNotFound(deleting) {
			err = errors.Join(err, deleting)
		}
	}
	return errors.Join(err, s.closeCluster(ending))
}
