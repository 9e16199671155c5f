package reach

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// mostFunctions bounds the functions that a report names.
	mostFunctions = 5
	// leastShare is the probability that the fault is in one of them. With less, a report names none.
	leastShare = 0.3
	// enoughShare ends the list before.
	enoughShare = 0.95
	// leastConforming is how many trials must conform: those that do not execute a fault say where it is not.
	leastConforming = 20
)

// LookAt returns the functions in which the fault most likely is that made claims of one subject deviate, the
// likeliest first. It returns none if no claim deviates without a diagnosis, or if the trials do not tell.
//
// It is a Bayesian spectrum-based fault localization of a single fault, after Abreu, Zoeteweij and van Gemund,
// "Spectrum-Based Multiple Fault Localization" (ASE 2009). Each block of code explains the verdicts of the trials that
// execute it, with an unknown probability that a trial deviates. All statements are equally likely before. The
// functions in which the deviating claims' formulas were read are likelier.
func (m Map) LookAt(outcomes []trial.Outcome) (places []formula.Place) {
	s := m.spectrum(outcomes)
	if s.deviating == 0 || s.conforming < leastConforming {
		return nil
	}
	all := m.weigh(s)
	sum := 0.0
	for _, one := range all {
		sum += one.weight
	}
	share := 0.0
	for _, one := range all[:min(mostFunctions, len(all))] {
		if share >= enoughShare {
			break
		}
		share += one.weight / sum
		places = append(places, one.place)
	}
	if share < leastShare {
		return nil
	}
	return places
}

// spectrum is what the trials of one subject showed.
type spectrum struct {
	// deviates has each trial of the map that was judged, by its position.
	deviates              map[int]bool
	deviating, conforming int
	// read are the places of each formula that deviates without a diagnosis, by its ID.
	read map[string][]formula.Place
}

func (m Map) spectrum(outcomes []trial.Outcome) spectrum {
	s := spectrum{deviates: map[int]bool{}, read: map[string][]formula.Place{}}
	for _, o := range outcomes {
		i, last := slices.Index(m.Trials, o.Trial), o.Last()
		if i < 0 || last == nil {
			continue
		}
		if o.Verdict == trial.Conforms || o.Verdict == trial.Divergent {
			s.deviates[i] = false
			s.conforming++
		}
		for _, f := range last.Result.Findings {
			if f.Verdict != trial.Deviates || f.Diagnosis != nil {
				continue
			}
			if !s.deviates[i] {
				s.deviates[i] = true
				s.deviating++
			}
			places, _ := formula.Formula{ID: f.Formula, Source: f.Source}.Places() // an edited run may have others
			s.read[f.Formula] = places
		}
	}
	for _, places := range s.read {
		for i, p := range places {
			places[i] = p.In(m.Version)
		}
	}
	return s
}

// weighed is a function, and how likely it has the fault, with any unit.
type weighed struct {
	place  formula.Place
	weight float64
}

// weigh returns the functions that trials execute, the likeliest first.
func (m Map) weigh(s spectrum) (all []weighed) {
	for _, file := range m.Files {
		name := strings.SplitN(file.Name, "/", 3)
		for _, function := range file.Functions {
			one := weighed{place: formula.Place{Module: name[0] + "/" + name[1], File: name[2], Name: function.Name}}
			for _, b := range function.Blocks {
				if b.Reached() {
					one.weight += float64(b.Statements) * s.likelihood(b)
				}
			}
			one.weight *= s.named(one.place)
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	return all
}

const (
	// strange is the probability that a trial deviates that does not execute the fault: another seed or a busy node can
	// make a trial execute other code than the map's.
	strange = 0.001
	// mostCounted is how many deviating trials count. They deviate for one reason, so further ones are no new evidence.
	mostCounted = 3
)

// likelihood returns the probability of the verdicts if the fault is in a block. How often the fault shows in a trial
// is unknown: it has the Beta distribution of Jeffreys, which favours always and never.
func (s spectrum) likelihood(b Block) float64 {
	deviate, conform := 0.0, 0.0
	for _, t := range b.Trials {
		switch deviates, judged := s.deviates[t]; {
		case deviates:
			deviate++
		case judged:
			conform++
		}
	}
	all := float64(s.deviating)
	counted := deviate * min(1, mostCounted/all)
	return math.Exp(logBeta(counted+0.5, conform+0.5)-logBeta(0.5, 0.5)) * math.Pow(strange, all-deviate)
}

func logBeta(a, b float64) float64 {
	ofA, _ := math.Lgamma(a)
	ofB, _ := math.Lgamma(b)
	ofBoth, _ := math.Lgamma(a + b)
	return ofA + ofB - ofBoth
}

// How much likelier a deviation makes the functions in which its formula was read, and others of their files. Of 498
// drawn mutants that a claim had killed, other values put hardly more into the first five functions.
const (
	inFunction = 20
	inFile     = 4
)

// named returns how much likelier the formulas that deviate make a function.
func (s spectrum) named(p formula.Place) float64 {
	sum := 0.0
	for _, places := range s.read {
		most := 1.0
		for _, read := range places {
			if read.Module == p.Module && read.File == p.File {
				most = max(most, inFile)
				if read.Name == p.Name || read.Name == p.Name[strings.Index(p.Name, ".")+1:] {
					most = inFunction
				}
			}
		}
		sum += most
	}
	return sum / float64(len(s.read))
}
