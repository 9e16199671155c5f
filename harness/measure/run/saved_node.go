package run

import (
	"encoding/json"

	"github.com/podclock/podclock/harness/measure/delay"
)

// savedNode is a node in run.json. Samples of pressure, four a second, would fill a fifth of a long run's file.
// They are saved as differences, without loss, so a run that is judged again gets the same verdicts.
type savedNode struct {
	describedNode
	Delays savedDelays `json:"noise"`
}

// describedNode is a Node without its methods.
type describedNode Node

type savedDelays struct {
	LateTicks  []delay.Span   `json:"stalls,omitempty"`
	PSI        pressure       `json:"pressure,omitempty"`
	Unanswered []delay.Outage `json:"silences,omitempty"`
	CoreNS     int64          `json:"coreNS,omitempty"`
}

// pressure is saved as rows of at, cpuNS and ioNS. The first row is the first sample, and the others are
// differences from the sample before.
type pressure []delay.Sample

// MarshalJSON writes the node with its delays in the short form.
func (n Node) MarshalJSON() ([]byte, error) {
	d := n.Delays
	return json.Marshal(savedNode{describedNode(n), savedDelays{d.LateTicks, d.PSI, d.Unanswered, d.CoreNS}})
}

// UnmarshalJSON reads the output of MarshalJSON.
func (n *Node) UnmarshalJSON(data []byte) error {
	var saved savedNode
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	*n = Node(saved.describedNode)
	n.Delays = delay.Record{
		LateTicks:  saved.Delays.LateTicks,
		PSI:        saved.Delays.PSI,
		Unanswered: saved.Delays.Unanswered,
		CoreNS:     saved.Delays.CoreNS,
	}
	return nil
}

// MarshalJSON writes the rows.
func (p pressure) MarshalJSON() ([]byte, error) {
	rows := make([][3]int64, len(p))
	var before delay.Sample
	for i, s := range p {
		rows[i] = [3]int64{s.At - before.At, s.CPUNS - before.CPUNS, s.IONS - before.IONS}
		before = s
	}
	return json.Marshal(rows)
}

// UnmarshalJSON reads rows. It also reads full samples, as in the first files of the schema.
func (p *pressure) UnmarshalJSON(data []byte) error {
	var rows [][3]int64
	if err := json.Unmarshal(data, &rows); err != nil {
		return json.Unmarshal(data, (*[]delay.Sample)(p))
	}
	*p = make(pressure, len(rows))
	var s delay.Sample
	for i, row := range rows {
		s.At, s.CPUNS, s.IONS = s.At+row[0], s.CPUNS+row[1], s.IONS+row[2]
		(*p)[i] = s
	}
	return nil
}
