// The configuration of the site. .ci/site copies the documents beside this folder and builds it there.
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const repository = 'https://github.com/podclock/podclock'
const readme = /README\.md$/

// page returns a document's entry in the sidebar: its first heading, or its name if it has none.
const page = file => ({
  text: readFileSync(file, 'utf8').match(/^# (.+)/m)?.[1] ?? posix.basename(file, '.md'),
  link: '/' + file.replace(readme, ''),
})

// section returns the sidebar's entries of a folder's documents.
const section = (text, folder, collapsed = false) => ({
  text,
  collapsed,
  items: readdirSync(folder).filter(name => name.endsWith('.md')).sort().map(name => page(folder + name)),
})

// pages are those of podclock itself. target=_self makes the browser load them.
const pages = [
  { text: 'Predict', link: '/predict/', target: '_self' },
  { text: 'Latest report', link: '/report/', target: '_self' },
]

// links leads relative links to the site's pages, and those to other files to the repository.
const links = md => md.core.ruler.push('links', ({ tokens, env }) => {
  for (const link of tokens.flatMap(t => t.children ?? []).filter(t => t.type === 'link_open')) {
    const [, path, fragment] = link.attrGet('href').match(/^([^#]*)(.*)$/)
    if (!path || /^[a-z]+:/.test(path)) continue
    const file = posix.resolve('/', posix.dirname(env.relativePath), path)
    link.attrSet('href', (file.endsWith('.md') ? file.replace(readme, '') : `${repository}/blob/main${file}`) + fragment)
  }
})

export default {
  title: 'podclock',
  description: 'When do Kubernetes nodes kill and restart pods? Measured, judged and predicted.',
  lang: 'en',
  base: process.env.BASE || '/',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  rewrites: file => file.replace(readme, 'index.md'),
  markdown: {
    attrs: { disable: true },
    // Headings have the anchors that GitHub gives them.
    anchor: { slugify: text => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-') },
    config: links,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: pages,
    sidebar: [
      { items: [page('README.md'), ...pages, ...['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'].map(page)] },
      section('Documentation', 'docs/'),
      section('Trials', 'suites/'),
      section('Generated documents', 'docs/generated/'),
      section('Reports for Kubernetes', 'docs/upstream/', true),
    ],
    socialLinks: [{ icon: 'github', link: repository }],
  },
}
