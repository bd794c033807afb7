/**
 * Which RDAP server answers for a domain (RFC 9224): the shipped snapshot at first, then IANA's own
 * file, looked at again once a day at the most. A refresh that fails leaves the table as it was.
 */
import { performance } from 'node:perf_hooks'
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import { requestJson } from '../../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../../platform/net/single-flight.ts'
import { rdapBootstrap } from './rdap-bootstrap.ts'

export type RdapServers = {
  /** Base URL with a slash at the end, by the longest suffix; null when no server is listed. */
  find(domain: string): Promise<Lookup<string | null>>
  /** Fetches the file now. False when there was none to be had; never rejects. */
  refresh(): Promise<boolean>
}

const IANA_HOST = 'data.iana.org'

/** The file of IANA itself; any other is the operator's choice. */
export const isIanaFile = (bootstrapUrl: string): boolean =>
  new URL(bootstrapUrl).host === IANA_HOST

const REFRESH_INTERVAL_MS = 86_400_000
const REFRESH_TIMEOUT_MS = 10_000
const MAX_BYTES = 4_194_304

/**
 * Without a URL the snapshot stays for good. The snapshot stands in for IANA's file only: with
 * another URL (a mirror that leaves some out, an emulator) the first look-up waits for that file,
 * so that nobody is asked who is not in it.
 */
export function createRdapServers(bootstrapUrl: string | undefined): RdapServers {
  const flight = createSingleFlight<boolean>()
  const usesSnapshot = bootstrapUrl === undefined || isIanaFile(bootstrapUrl)
  let table: ReadonlyMap<string, string> | undefined = usesSnapshot ? readSnapshot() : undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const fetchTable = async (): Promise<boolean> => {
    if (bootstrapUrl === undefined) return false
    triedAt = performance.now()
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
      else if (performance.now() - triedAt >= REFRESH_INTERVAL_MS) void refresh()
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
 * `{services: [[[suffix, …], [url, …]], …]}`; entries of another shape are passed over. Undefined
 * when it is no such file.
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

/** https where there is a choice (RFC 9224 section 4). */
function preferredUrl(urls: readonly string[]): string | undefined {
  const usable = urls.filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
  const url = usable.find((candidate) => /^https:/i.test(candidate)) ?? usable[0]
  return url === undefined || url.endsWith('/') ? url : `${url}/`
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
