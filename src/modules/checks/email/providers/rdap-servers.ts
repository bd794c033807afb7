/**
 * Finds the RDAP server of a domain (RFC 9224): by the shipped snapshot at first, then by IANA's own
 * file, which is fetched at most once a day. A failed refresh leaves the table unchanged.
 */

import { performance } from 'node:perf_hooks'
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import { requestJson } from '../../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../../platform/net/single-flight.ts'
import { DAY_MS } from '../../../../platform/time-units.ts'
import { rdapBootstrap } from './rdap-bootstrap.ts'

export type RdapServers = {
  /** Returns the base URL, with a trailing slash, of the longest suffix; null when none is listed. */
  find(domain: string): Promise<Lookup<string | null>>
  /** Fetches the file. Resolves to false on failure; never rejects. */
  refresh(): Promise<boolean>
}

const IANA_HOST = 'data.iana.org'

/** Whether the URL is IANA's own file; any other was chosen by the operator. */
export const isIanaFile = (bootstrapUrl: string): boolean =>
  new URL(bootstrapUrl).host === IANA_HOST

const REFRESH_INTERVAL_MS = DAY_MS
const REFRESH_TIMEOUT_MS = 10_000
const MAX_BYTES = 4_194_304

/**
 * Without a URL, the snapshot is never refreshed. The snapshot replaces only IANA's file: with another
 * URL (a smaller mirror, an emulator), the first look-up waits for that file, so that no server
 * outside of it is ever queried.
 */
export function createRdapServers(bootstrapUrl: string | undefined): RdapServers {
  const flight = createSingleFlight<boolean>()
  const usesSnapshot = bootstrapUrl === undefined || isIanaFile(bootstrapUrl)
  let table: ReadonlyMap<string, string> | undefined = usesSnapshot ? readSnapshot() : undefined
  let attemptedAt = Number.NEGATIVE_INFINITY

  const fetchTable = async (): Promise<boolean> => {
    if (bootstrapUrl === undefined) return false
    attemptedAt = performance.now()
    const answer = await requestJson({
      url: bootstrapUrl,
      timeoutMs: REFRESH_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    })
    const fresh = answer.known ? readBootstrap(answer.value.body) : undefined
    const usable = fresh !== undefined && (fresh.size > 0 || table === undefined)
    if (usable) table = fresh
    return usable
  }
  const refresh = () => flight('table', fetchTable)

  return {
    refresh,
    async find(domain) {
      if (table === undefined) await refresh()
      else if (performance.now() - attemptedAt >= REFRESH_INTERVAL_MS) void refresh()
      return table === undefined ? unknown('unreachable') : known(longestSuffix(table, domain))
    },
  }
}

function longestSuffix(table: ReadonlyMap<string, string>, domain: string): string | null {
  const labels = domain.toLowerCase().split('.')
  for (let from = 0; from < labels.length; from += 1) {
    const url = table.get(labels.slice(from).join('.'))
    if (url !== undefined) return url
  }
  return null
}

function readSnapshot(): Map<string, string> {
  const table = new Map<string, string>()
  for (const [pattern, suffixes] of Object.entries(rdapBootstrap)) {
    for (const suffix of suffixes.split(' ')) table.set(suffix, pattern.replaceAll('{}', suffix))
  }
  return table
}

/**
 * Reads `{services: [[[suffix, …], [url, …]], …]}` and skips entries of another shape.
 * @returns undefined when the body has no services
 */
export function readBootstrap(body: unknown): Map<string, string> | undefined {
  const services: unknown =
    typeof body === 'object' && body !== null && 'services' in body ? body.services : undefined
  if (!Array.isArray(services)) return undefined
  const table = new Map<string, string>()
  for (const service of services as unknown[]) {
    if (!Array.isArray(service)) continue
    const [suffixes, urls] = service.map(strings)
    const url = preferredUrl(urls ?? [])
    if (url === undefined) continue
    for (const suffix of suffixes ?? []) table.set(suffix.toLowerCase().replace(/\.$/, ''), url)
  }
  return table
}

/** Prefers https (RFC 9224 section 4). */
function preferredUrl(urls: readonly string[]): string | undefined {
  const usable = urls.filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
  const url = usable.find((candidate) => /^https:/i.test(candidate)) ?? usable[0]
  return url === undefined || url.endsWith('/') ? url : `${url}/`
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
