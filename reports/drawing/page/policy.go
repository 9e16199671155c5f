package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
)

// Policy returns the element that forbids all requests, and all scripts except one. Even if unescaped text came
// into a page, no browser would run it.
func Policy(script template.JS) template.HTML {
	sum := sha256.Sum256([]byte(script))
	return template.HTML(fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `+
		`style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`,
		base64.StdEncoding.EncodeToString(sum[:])))
}

// SitePolicy returns the element of a page that has scripts and WebAssembly beside it. It forbids all other scripts,
// and requests to any place but the page's own.
func SitePolicy() template.HTML {
	return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
		`style-src 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; ` +
		`img-src data:; base-uri 'none'; form-action 'none'">`
}
