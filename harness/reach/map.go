package reach

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

// Map is which code the trials of one catalogue execute in one version of Kubernetes.
type Map struct {
	Version string `json:"version"`
	// Trials are the IDs of those that were played, to which [Block.Trials] refer.
	Trials []string `json:"trials"`
	Files  []File   `json:"files"`
}

// Load reads a saved map, whole or in its short form.
func Load(path string) (m Map, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		m, err = decode(text)
	}
	if err != nil {
		return Map{}, fmt.Errorf("reading a saved map of the code that trials execute: %w", err)
	}
	return m, nil
}

func decode(text []byte) (m Map, err error) {
	if w, notCompressed := gzip.NewReader(bytes.NewReader(text)); notCompressed == nil {
		err = json.NewDecoder(w).Decode(&m)
		return m, err
	}
	err = json.Unmarshal(text, &m)
	return m, err
}

// saved is the map that make reach measured last, in its short form.
//
//go:embed map.json.gz
var saved []byte

// Saved returns the map that podclock was built with, in its short form.
var Saved = sync.OnceValue(func() Map {
	m, err := decode(saved)
	if err != nil {
		panic("harness/reach/map.json.gz: " + err.Error()) // a test reads it
	}
	return m
})

// Save writes the short form to a file: only code that trials execute, without its lines. Blocks of a function that the
// same trials execute are one.
func (m Map) Save(path string) error {
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	if err := errors.Join(json.NewEncoder(w).Encode(m.short()), w.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func (m Map) short() Map {
	files := m.Files
	m.Files = nil
	for _, f := range files {
		short := File{Name: f.Name}
		for _, function := range f.Functions {
			own := Function{Name: function.Name}
			for _, b := range function.Blocks {
				if !b.Reached() {
					continue
				}
				i := slices.IndexFunc(own.Blocks, func(o Block) bool { return slices.Equal(o.Trials, b.Trials) })
				if i < 0 {
					i, own.Blocks = len(own.Blocks), append(own.Blocks, Block{Trials: b.Trials})
				}
				own.Blocks[i].Statements += b.Statements
			}
			if len(own.Blocks) > 0 {
				short.Functions = append(short.Functions, own)
			}
		}
		m.Files = append(m.Files, short)
	}
	return m
}

// Of returns the map of some parts.
func (m Map) Of(parts []Part) Map {
	m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return !holds(parts, f.Name) })
	return m
}

// File is a file of lifecycle code.
type File struct {
	// Name is the import path of its package and its base name.
	Name      string     `json:"name"`
	Functions []Function `json:"functions"`
}

// Function is a function or method, as go doc writes it. Its function literals are part of it.
type Function struct {
	Name   string  `json:"name"`
	Line   int     `json:"line,omitempty"`
	Blocks []Block `json:"blocks"`
}

// Block is code without a branch in it. Lines and columns count from 1, columns in bytes.
type Block struct {
	Line       int `json:"line,omitempty"`
	Column     int `json:"column,omitempty"`
	EndLine    int `json:"endLine,omitempty"`
	EndColumn  int `json:"endColumn,omitempty"`
	Statements int `json:"statements"`
	// Trials are the positions in [Map.Trials] of those that execute it.
	Trials []int `json:"trials,omitempty"`
	// Excuse is why no trial needs to execute it, empty if one does or should.
	Excuse Why `json:"excuse,omitempty"`
	// Because is what [Excuse.Because] says of it.
	Because string `json:"because,omitempty"`
}

// Reached reports whether a trial executes the block.
func (b Block) Reached() bool { return len(b.Trials) > 0 }

// Share is how many of some statements are reached.
type Share struct{ Reached, Excused, Statements int }

// Percent returns the share that is reached or excused, 0 to 100. Of no statements it is 100.
func (s Share) Percent() float64 {
	if s.Statements == 0 {
		return 100
	}
	return 100 * float64(s.Reached+s.Excused) / float64(s.Statements)
}

// Plus returns the share of both together.
func (s Share) Plus(o Share) Share {
	return Share{s.Reached + o.Reached, s.Excused + o.Excused, s.Statements + o.Statements}
}

// Share returns the share of a function.
func (f Function) Share() (all Share) {
	for _, b := range f.Blocks {
		all.Statements += b.Statements
		switch {
		case b.Reached():
			all.Reached += b.Statements
		case b.Excuse != "":
			all.Excused += b.Statements
		}
	}
	return all
}

// Share returns the share of a file.
func (f File) Share() (all Share) {
	for _, function := range f.Functions {
		all = all.Plus(function.Share())
	}
	return all
}

// At returns the block that contains a place of the file, or false.
func (f File) At(line, column int) (Block, bool) {
	for _, function := range f.Functions {
		for _, b := range function.Blocks {
			after := cmp.Or(cmp.Compare(line, b.Line), cmp.Compare(column, b.Column)) >= 0
			if before := cmp.Or(cmp.Compare(line, b.EndLine), cmp.Compare(column, b.EndColumn)) < 0; after && before {
				return b, true
			}
		}
	}
	return Block{}, false
}
