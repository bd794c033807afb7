/* Shows the messages that are sent to this browser, and opens their page. It stores nothing. */
self.addEventListener('push', (event) => {
  const { title, body, tag, severity, url } = event.data?.json() ?? {}
  if (typeof title !== 'string') return
  const shown = self.registration.showNotification(title, {
    body,
    tag,
    icon: '/console/icon.svg',
    requireInteraction: severity === 'critical',
    data: { url },
  })
  event.waitUntil(shown)
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.url))
})

/** Pages of other sites are never opened. */
async function open(address) {
  const url = new URL(address ?? '/console', self.location.origin)
  if (url.origin !== self.location.origin) return
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find((each) => each.url.startsWith(self.registration.scope))
  if (!shown) return await self.clients.openWindow(url.href)
  await shown.focus()
  return await shown.navigate(url.href).catch(() => self.clients.openWindow(url.href))
}
