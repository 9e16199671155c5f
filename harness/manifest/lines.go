package manifest

import (
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// lines finds the lines of a document's fields. The first call parses the text a second time.
type lines struct {
	document document
	parse    sync.Once
	root     *yaml.Node
}

// of returns the stream's line of a field, or of its nearest parent in the document. It is the document's first
// line for an empty path, or if the line is not known.
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
		key, value := child(node, step, maxMerges)
		if value == nil {
			break
		}
		line, node = key.Line, value
	}
	return l.document.within(l.document.line + line - 1)
}

// maxMerges limits the depth of merges within merges, because an anchor may contain itself.
const maxMerges = 10

// child returns the value of a mapping's key or a sequence's item, and the node that has its line. Both are nil
// if there is none. It follows anchors and merges ("<<").
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

// steps splits a field path: "a.b[0][c.d/e]" is a, b, 0, c.d/e.
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
