package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
)

// Policy is the element that forbids a page every request, and every script but its own: should anything
// that a page tells ever come through unescaped, no browser runs it.
func Policy(script template.JS) template.HTML {
	sum := sha256.Sum256([]byte(script))
	return template.HTML(
		fmt.Sprintf(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; `+
				`img-src data:; base-uri 'none'; form-action 'none'">`,
			base64.StdEncoding.EncodeToString(sum[:]),
		),
	)
}
