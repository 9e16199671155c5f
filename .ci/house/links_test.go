package house

import (
	"bytes"
	"flag"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
)

var (
	site = flag.String("site", "", "the folder of the built site, for TestLinksOfSite")
	base = flag.String("base", "/", "the path of the built site on its host")
)

// TestLinksOfDocuments fails if a Markdown file is empty, or has a link to a file or a heading that does not exist.
func TestLinksOfDocuments(t *testing.T) {
	documents := map[string]document{}
	walk(t, func(name string, data []byte) {
		if path.Ext(name) == ".md" {
			NewWithT(t).Expect(data).NotTo(BeEmpty(), name)
			documents[name] = readMarkdown(string(data))
		}
	})
	NewWithT(t).Expect(tree{os.DirFS("."), "/", "", documents}.brokenLinks()).To(BeEmpty())
}

// TestLinksOfSite fails if a page of the built site has a link inside the site that leads nowhere.
func TestLinksOfSite(t *testing.T) {
	if *site == "" {
		t.Skip("make site runs it")
	}
	g, files := NewWithT(t), os.DirFS(*site)
	pages := map[string]document{}
	g.Expect(fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		pages[name] = readPage(data)
		return err
	})).To(Succeed())
	g.Expect(len(pages)).To(BeNumerically(">", 20))
	g.Expect(tree{files, *base, "index.html", pages}.brokenLinks()).To(BeEmpty())
}

func TestBrokenLinks(t *testing.T) {
	g := NewWithT(t)
	files := fstest.MapFS{"README.md": {}, "docs/a.md": {}, "docs/a.go": {}}
	g.Expect(tree{files, "/", "", map[string]document{
		"README.md": readMarkdown("[a](docs/a.md#two-words) [b](b.md) [c](docs/) `[d](d.md)`\n```\n[e](e.md)\n```\n"),
		"docs/a.md": readMarkdown("# Two `words`!\n[a](a.go#L1) [top](#top) [x](https://x.org/y)\n"),
	}}.brokenLinks()).To(ConsistOf("README.md: b.md", "docs/a.md: #top"))

	files = fstest.MapFS{"index.html": {}, "a/index.html": {}, "b/b.png": {}}
	g.Expect(tree{files, "/base/", "index.html", map[string]document{
		"index.html":   readPage([]byte(`<a href="/base/a/#one"><a href="/a/"><img src="b/b.png"><img src="c.png">`)),
		"a/index.html": readPage([]byte(`<h1 id="one"><a href="../#x=1"><a href="#two"><a href="/base/b/">`)),
	}}.brokenLinks()).To(ConsistOf(
		"index.html: /a/", "index.html: c.png", "a/index.html: #two", "a/index.html: /base/b/"))
}

// document is a Markdown file or an HTML page: its links, and the fragments that lead to a part of it.
type document struct{ links, anchors []string }

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	span    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// readMarkdown derives anchors from headings as GitHub does, for headings with different texts.
func readMarkdown(text string) document {
	var d document
	text = fence.ReplaceAllString(text, "")
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		anchor := dropped.ReplaceAllString(strings.ToLower(h[1]), "")
		d.anchors = append(d.anchors, strings.ReplaceAll(anchor, " ", "-"))
	}
	for _, l := range link.FindAllStringSubmatch(span.ReplaceAllString(text, ""), -1) {
		d.links = append(d.links, l[1])
	}
	return d
}

func readPage(text []byte) document {
	var d document
	for z := html.NewTokenizer(bytes.NewReader(text)); z.Next() != html.ErrorToken; {
		for _, a := range z.Token().Attr {
			switch a.Key {
			case "href", "src":
				d.links = append(d.links, a.Val)
			case "id":
				d.anchors = append(d.anchors, a.Val)
			}
		}
	}
	return d
}

// tree is a folder of documents. base is the path of the folder in absolute links, and index the document that a link
// to a folder shows. Without one, a folder is enough.
type tree struct {
	files       fs.FS
	base, index string
	documents   map[string]document
}

// brokenLinks returns the links inside the tree that lead nowhere.
func (t tree) brokenLinks() []string {
	var broken []string
	for name, d := range t.documents {
		for _, l := range d.links {
			u, err := url.Parse(l)
			if err == nil && (u.Scheme != "" || u.Host != "") {
				continue
			}
			if err != nil || !t.has(t.target(name, u.Path), u.Fragment) {
				broken = append(broken, name+": "+l)
			}
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// target returns the name of the file or folder that a path in a document leads to.
func (t tree) target(document, to string) string {
	if to == "" {
		return document
	}
	if inside, ok := strings.CutPrefix(to, t.base); ok {
		return path.Join(".", inside)
	}
	if path.IsAbs(to) {
		return "outside" + to
	}
	return path.Join(path.Dir(document), to)
}

// has reports whether a name and its fragment exist. A fragment with an equals sign is the state of a page.
func (t tree) has(name, fragment string) bool {
	info, err := fs.Stat(t.files, name)
	if err == nil && info.IsDir() {
		name = path.Join(name, t.index)
		_, err = fs.Stat(t.files, name)
	}
	if err != nil {
		return false
	}
	d, ok := t.documents[name]
	return !ok || fragment == "" || strings.Contains(fragment, "=") || slices.Contains(d.anchors, fragment)
}

// TestSiteHasAllDocuments checks that the patterns of .ci/site match every document below docs. The site's own files
// are copied apart.
func TestSiteHasAllDocuments(t *testing.T) {
	g := NewWithT(t)
	script, err := os.ReadFile(".ci/site")
	g.Expect(err).NotTo(HaveOccurred())
	var copied []string
	for _, pattern := range regexp.MustCompile(`docs/\S*\*\.md`).FindAllString(string(script), -1) {
		files, err := filepath.Glob(pattern)
		g.Expect(err).NotTo(HaveOccurred())
		copied = append(copied, files...)
	}
	walk(t, func(path string, _ []byte) {
		if strings.HasPrefix(path, "docs/") && filepath.Ext(path) == ".md" && !strings.HasPrefix(path, "docs/site/") {
			g.Expect(copied).To(ContainElement(path), ".ci/site leaves it out")
		}
	})
}
