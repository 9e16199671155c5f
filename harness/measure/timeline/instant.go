package timeline

// Instant is a point on the recorder's clock, in nanoseconds since 1970. It was at some time in [At-Early, At+Late].
type Instant struct {
	At    int64 `json:"at"`
	Early int64 `json:"early,omitempty"`
	Late  int64 `json:"late,omitempty"`
}

// MayPrecede reports whether i can have been before another instant, or with it.
func (i Instant) MayPrecede(other Instant) bool { return i.At-i.Early <= other.At+other.Late }
