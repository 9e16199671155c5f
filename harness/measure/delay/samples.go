package delay

import "encoding/json"

// Sample is how long some task of the node has waited in total, in nanoseconds.
type Sample struct {
	// At is in nanoseconds since 1970 on the recorder's clock.
	At    int64 `json:"at"`
	CPUNS int64 `json:"cpuNS"`
	IONS  int64 `json:"ioNS"`
}

// Samples are saved as rows of at, cpuNS and ioNS. The first row is the first sample, and the others are differences
// from the sample before. Four samples a second would fill a fifth of a long run's file. Nothing is lost, so a run that
// is judged again gets the same verdicts.
type Samples []Sample

// MarshalJSON writes the rows.
func (s Samples) MarshalJSON() ([]byte, error) {
	rows := make([][3]int64, len(s))
	var before Sample
	for i, now := range s {
		rows[i] = [3]int64{now.At - before.At, now.CPUNS - before.CPUNS, now.IONS - before.IONS}
		before = now
	}
	return json.Marshal(rows)
}

// UnmarshalJSON reads rows. It also reads full samples, as in the first files of the schema.
func (s *Samples) UnmarshalJSON(data []byte) error {
	var rows [][3]int64
	if err := json.Unmarshal(data, &rows); err != nil {
		return json.Unmarshal(data, (*[]Sample)(s))
	}
	*s = make(Samples, len(rows))
	var now Sample
	for i, row := range rows {
		now.At, now.CPUNS, now.IONS = now.At+row[0], now.CPUNS+row[1], now.IONS+row[2]
		(*s)[i] = now
	}
	return nil
}
