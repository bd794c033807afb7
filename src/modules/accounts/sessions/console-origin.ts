/**
 * Checks whether a page of the console sent a request. Browsers add cookies automatically, so a
 * cookie is only accepted from these pages (OWASP, "Cross-Site Request Forgery Prevention": a header
 * that no form can set, Fetch Metadata and the origin, in addition to SameSite=Strict).
 */
import type { IncomingHttpHeaders } from 'node:http'

/** Simple requests of other sites cannot have this header, and no preflight here allows it. */
const CONSOLE_HEADER = 'x-vigil-console'

/** @param hosts as in an Origin header: `shop.example`, with a port unless it is the default one */
export function isFromConsole(
  headers: IncomingHttpHeaders,
  hosts: readonly (string | undefined)[],
): boolean {
  if (headers[CONSOLE_HEADER] !== '1') return false
  // Browsers omit this header over plain HTTP, and programs do not send it.
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  return origin === undefined || hosts.some((host) => host !== undefined && host === hostOf(origin))
}

/** @returns undefined when the text is not a URL, such as the `null` of a page without an origin */
export function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host || undefined
  } catch {
    return undefined
  }
}
