// Keeps the page for when there is no network: fresh when there is one, from the store otherwise.
const STORE = "limb";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(STORE).then((store) => store.add("./")));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function page(request) {
  const store = await caches.open(STORE);
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await store.put("./", fresh.clone());
    return fresh;
  } catch {
    return (await store.match("./")) ?? Response.error();
  }
}

// Only the page itself; it asks for nothing else.
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(page(event.request));
});
