package manifest

import (
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// lines finds the lines in which the fields of a document stand. The text is parsed a second time, when the
// first field is asked for.
type lines struct {
	document document
	parse    sync.Once
	root     *yaml.Node
}

// of is the line of the stream in which a field stands, or its nearest parent that does; the document's
// first where it can't be told, and for the document as a whole.
func (l *lines) of(path string) int {
	if path == "" {
		return l.document.line
	}
	l.parse.Do(func() {
		var n yaml.Node
		if yaml.Unmarshal(l.document.text, &n) == nil && len(n.Content) == 1 {
			l.root = n.Content[0]
		}
	})
	if l.root == nil {
		return l.document.line
	}
	line, node := l.root.Line, l.root
	for _, step := range steps(path) {
		key, value := child(node, step, mostMerges)
		if value == nil {
			break
		}
		line, node = key.Line, value
	}
	return l.document.within(l.document.line + line - 1)
}

// mostMerges is how many merges within merges are looked into: an anchor may stand inside of what it names.
const mostMerges = 10

// child is the node of a mapping's key or a sequence's item, and the node whose line is its own; nil where
// there is none. Anchors are followed, merges ("<<") looked into.
func child(n *yaml.Node, step string, merges int) (at, value *yaml.Node) {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" && merges > 0 {
				if at, value := child(n.Content[i+1], step, merges-1); value != nil {
					return at, value
				}
			}
		}
	}
	return nil, nil
}

// steps are the parts of a field path: "a.b[0][c.d/e]" is a, b, 0, c.d/e.
func steps(path string) []string {
	var all []string
	for path != "" {
		var step string
		if strings.HasPrefix(path, "[") {
			step, path, _ = strings.Cut(path[1:], "]")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		path = strings.TrimPrefix(path, ".")
		if step != "" {
			all = append(all, step)
		}
	}
	return all
}
