/**
 * Whether a request was made by the console's own pages. A browser adds cookies by itself, so what a
 * cookie proves counts only from there (OWASP, "Cross-Site Request Forgery Prevention": a header
 * that no form can set, Fetch Metadata, and the origin; beside SameSite=Strict).
 */
import type { IncomingHttpHeaders } from 'node:http'

/** No simple request of another site can carry it, and no preflight of ours allows it. */
const CONSOLE_HEADER = 'x-vigil-console'

/** @param hosts with their port unless it is the usual one, as browsers write them: `shop.example` */
export function isFromOwnPages(
  headers: IncomingHttpHeaders,
  hosts: readonly (string | undefined)[],
): boolean {
  if (headers[CONSOLE_HEADER] !== '1') return false
  // Not told where the page came over plain HTTP, nor by programs.
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  return origin === undefined || hosts.some((host) => host !== undefined && host === hostOf(origin))
}

/** @returns undefined for what is no URL, such as the `null` of a page without an origin */
export function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host || undefined
  } catch {
    return undefined
  }
}
