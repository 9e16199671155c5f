"use strict";
// The page's files stay in the browser, so it works without a network. VERSION changes with any of them.
const VERSION = "podclock-{{.Version}}";
const FILES = ["./", {{range .Files}}"{{.}}", {{end}}];

self.addEventListener("install", (e) => {
  const fresh = FILES.map((f) => new Request(f, { cache: "no-cache" }));
  e.waitUntil(caches.open(VERSION).then((c) => c.addAll(fresh)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (e) => e.waitUntil(caches.keys()
  .then((names) => Promise.all(names.filter((n) => n.startsWith("podclock-") && n !== VERSION).map((n) => caches.delete(n))))));
self.addEventListener("fetch", (e) => e.respondWith(caches.open(VERSION)
  .then((c) => c.match(e.request, { ignoreSearch: true })).then((found) => found || fetch(e.request))));
