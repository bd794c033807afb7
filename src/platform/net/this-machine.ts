/** @param url address of a server; undefined for an embedded one */
export function isOnThisMachine(url: string | undefined): boolean {
  if (url === undefined) return true
  const { hostname } = new URL(url)
  // Without a host, a PostgreSQL client uses a socket of this machine.
  return hostname === '' || hostname === 'localhost' || /^(127\.|\[::1\]$)/.test(hostname)
}
