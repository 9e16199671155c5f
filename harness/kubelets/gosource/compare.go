package gosource

import (
	"go/token"
	"slices"
)

// Same reports whether two pieces of Go code differ in comments and formatting only.
func Same(a, b []byte) (bool, error) {
	first, err := unformatted(a)
	if err != nil {
		return false, err
	}
	second, err := unformatted(b)
	return slices.EqualFunc(first, second, lexeme.same), err
}

var beforeBrackets = []token.Token{token.COMMA, token.SEMICOLON}

// unformatted returns the tokens without the semicolon at the end, and without the commas and semicolons that only a
// line break before a bracket needs.
func unformatted(source []byte) ([]lexeme, error) {
	all, err := tokens(source)
	if n := len(all); n > 0 && all[n-1].token == token.SEMICOLON {
		all = all[:n-1]
	}
	var needed []lexeme
	for _, l := range all {
		closes := l.token == token.RPAREN || l.token == token.RBRACK || l.token == token.RBRACE
		if n := len(needed); closes && n > 0 && slices.Contains(beforeBrackets, needed[n-1].token) {
			needed = needed[:n-1]
		}
		needed = append(needed, l)
	}
	return needed, err
}
