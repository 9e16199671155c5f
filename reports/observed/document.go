package observed

import (
	"math"
	"time"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/reports/apis/observations/v1alpha1"
)

// Document returns a fact for programs.
func Document(f observe.Fact) v1alpha1.Observation {
	o := v1alpha1.Observation{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind}
	switch f := f.(type) {
	case observe.Death:
		d := v1alpha1.Death{
			Pod: v1alpha1.Pod(f.Pod), Container: f.Container, Life: f.Life, Cause: string(f.Cause), Why: f.Why,
			Began: instantOf(f.Began), At: *instantOf(&f.At), Outcome: string(f.Outcome), ExitCode: f.ExitCode,
			APIOnly: f.APIOnly, Windows: windowsOf(f.Windows),
		}
		if took, asked := f.Took(); asked {
			d.Took, d.GraceSeconds = durationOf(took), rounded(f.Grace)
		}
		if share, has := f.Share(); has {
			d.ShareOfGrace = new(math.Round(share*1000) / 1000)
		}
		o.Death = &d
	case observe.Departure:
		d := v1alpha1.Departure{
			Pod: v1alpha1.Pod(f.Pod), Cause: string(f.Cause), Why: f.Why, Requested: instantOf(f.Requested),
			Gone: *instantOf(&f.Gone),
		}
		for _, s := range f.Services {
			one := v1alpha1.Service{Name: s.Name, Left: instantOf(s.Left)}
			if s.Left != nil {
				one.Stayed = durationOf(s.Stayed)
			}
			d.Services = append(d.Services, one)
		}
		o.Departure = &d
	case observe.Successor:
		o.Successor = &v1alpha1.Successor{
			Of: v1alpha1.Pod(f.Of), Container: f.Container, Pod: v1alpha1.Pod(f.Pod), Ready: *instantOf(&f.Ready),
			After: *durationOf(f.After), Windows: windowsOf(f.Windows),
		}
	case observe.Gap:
		o.Gap = &v1alpha1.Gap{From: written(f.From), To: written(f.To), What: f.What}
	}
	return o
}

// SummaryDocument returns a summary for programs.
func SummaryDocument(s observe.Summary) v1alpha1.Observation {
	d := v1alpha1.Summary{
		Namespace: s.Namespace, Workload: s.Workload, Deaths: s.Deaths, Departures: s.Departures,
		Causes: map[string]int{}, Killed: s.Killed, Late: s.Late, Deviating: s.Deviating, Unpredicted: s.Unpredicted,
		Kills: s.Kills,
	}
	for c, n := range s.Causes {
		d.Causes[string(c)] = n
	}
	if s.Kills > 0 {
		d.P50, d.P99, d.Longest = rounded(s.P50), rounded(s.P99), rounded(s.Longest)
	}
	return v1alpha1.Observation{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind, Summary: &d}
}

func written(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func instantOf(i *observe.Instant) *v1alpha1.Instant {
	if i == nil {
		return nil
	}
	return &v1alpha1.Instant{At: written(i.At), Earliest: written(i.Earliest), Latest: written(i.Latest),
		By: string(i.By)}
}

func durationOf(d observe.Duration) *v1alpha1.Duration {
	return &v1alpha1.Duration{Seconds: *rounded(d.Probably), Min: *rounded(d.Least), Max: *rounded(d.Most)}
}

func windowsOf(all []observe.Compared) (windows []v1alpha1.Window) {
	for _, c := range all {
		w := v1alpha1.Window{What: c.What, Measured: *durationOf(c.Measured), Outside: *rounded(c.Outside()),
			Unpredicted: c.Unpredicted}
		if c.Unpredicted == "" {
			w.Min, w.Max = rounded(c.Window.Earliest), rounded(c.Window.Latest)
		}
		windows = append(windows, w)
	}
	return windows
}

// rounded returns seconds with at most six decimals.
func rounded(d time.Duration) *float64 {
	return new(math.Round(d.Seconds()*1e6) / 1e6)
}
