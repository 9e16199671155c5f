package external

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
)

// readRights asks the API server which rights the user has. Without one that every run needs, it fails.
func (c *Cluster) readRights(ctx context.Context) error {
	all := Rights(c.Allow...)
	refused := make([]bool, len(all))
	var group errgroup.Group
	group.SetLimit(8)
	for i, r := range all {
		group.Go(func() error {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: r.Verb, Group: r.Group, Resource: r.Resource, Subresource: r.Subresource,
				},
			}}
			if err := c.client.Create(ctx, review); err != nil {
				return fmt.Errorf("ask whether the user of context %s may %s: %w", c.Context, r, c.explain(err))
			}
			refused[i] = !review.Status.Allowed
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var missing []string
	for i, r := range all {
		if !refused[i] {
			continue
		}
		if c.Refused = append(c.Refused, r); r.Without == "" {
			missing = append(missing, r.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the user of context %s may not %s: `podclock rbac` prints the ClusterRole that a run needs",
			c.Context, enumerate(missing))
	}
	return nil
}

func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
