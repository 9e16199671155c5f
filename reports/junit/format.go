package junit

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
)

// write counts the cases of the suites, then writes one suite at a time: those of a fleet's wave are many. An error
// names the report as what.
func (s Suites) write(w io.Writer, what string, suites iter.Seq[suite]) error {
	for one := range suites {
		one.count()
		s.Tests += one.Tests
		s.Failures += one.Failures
		s.Errors += one.Errors
	}
	root := xml.StartElement{Name: xml.Name{Local: "testsuites"}}
	add := func(name, value string) {
		root.Attr = append(root.Attr, xml.Attr{Name: xml.Name{Local: name}, Value: value})
	}
	add("name", s.Name)
	add("tests", strconv.Itoa(s.Tests))
	add("failures", strconv.Itoa(s.Failures))
	add("errors", strconv.Itoa(s.Errors))
	if s.Time != "" {
		add("time", s.Time)
	}
	_, err := io.WriteString(w, xml.Header)
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	err = errors.Join(err, encoder.EncodeToken(root))
	for one := range suites {
		one.count()
		err = errors.Join(err, encoder.EncodeElement(one, xml.StartElement{Name: xml.Name{Local: "testsuite"}}))
	}
	err = errors.Join(err, encoder.EncodeToken(root.End()), encoder.Close())
	if _, ended := io.WriteString(w, "\n"); err != nil || ended != nil {
		return fmt.Errorf("writing the JUnit report of %s: %w", what, errors.Join(err, ended))
	}
	return nil
}

// The elements of the format. Their attributes and children are in the schema's order.
type (
	// Suites is the root of a report.
	Suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Time     string   `xml:"time,attr,omitempty"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name       string      `xml:"name,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Skipped    int         `xml:"skipped,attr"`
		Time       string      `xml:"time,attr,omitempty"`
		Timestamp  string      `xml:"timestamp,attr"`
		Properties *properties `xml:"properties"`
		Cases      []testcase  `xml:"testcase"`
	}
	testcase struct {
		Name       string      `xml:"name,attr"`
		Class      string      `xml:"classname,attr"`
		Time       string      `xml:"time,attr"`
		Properties *properties `xml:"properties"`
		Skipped    *complaint  `xml:"skipped"`
		Error      *complaint  `xml:"error"`
		Failure    *complaint  `xml:"failure"`
		Output     *output     `xml:"system-out"`
	}
	properties struct {
		List []property `xml:"property"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	complaint struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
	output struct {
		Text string `xml:",cdata"`
	}
)

// add appends a property unless its value is empty.
func (p *properties) add(name, value string) {
	if value != "" {
		p.List = append(p.List, property{Name: name, Value: value})
	}
}

func (s *suite) count() {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
