// Package predict is the room of what people read of a prediction: its sentences, its formats and its web page. It
// computes nothing, and knows no measurement.
package predict
