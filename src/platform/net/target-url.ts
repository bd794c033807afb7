/**
 * Checks the text of URLs that customers may have the service call: HTTPS, an ordinary host, an
 * ordinary port, and nothing that parsers interpret differently. The addresses that the host
 * resolves to are checked in `guarded-post.ts`.
 */
import { isIPv4, isIPv6 } from 'node:net'

export type Target = {
  /** In lower case and ASCII (IDNA), without brackets or trailing dot; an address is canonical. */
  readonly host: string
  readonly isAddress: boolean
  readonly port: number
  /** `https://host:port` for the connection and the Host header. */
  readonly origin: string
  /** The path with its query. */
  readonly path: string
}

export type RefusalReason =
  | 'malformed'
  | 'too_long'
  | 'not_https'
  | 'credentials'
  | 'fragment'
  | 'odd_host'
  | 'port'
  | 'not_public'

export type TargetReading =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }

export const URL_MAX_CHARS = 2048

const HTTPS_PORT = 443
const FIRST_UNPRIVILEGED_PORT = 1024

/**
 * Ports from 1024 of plain-text protocols and databases that could interpret a request: the bad
 * ports of the Fetch standard (section "port blocking") and common services.
 */
const SERVICE_PORTS = new Set(
  [
    '1433 1521 1719 1720 1723 2049 2181 2375 2376 2379 2380 3306 3389 3659 4045 4190 5060 5061',
    '5432 5672 5900 5984 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 9042 9092 9100 9200',
    '9300 10080 10250 11211 27017',
  ].flatMap((line) => line.split(' ').map(Number)),
)

/**
 * Names that are never public: RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and ICANN's `internal`,
 * and suffixes common in offices.
 */
const INTERNAL_SUFFIXES = [
  'localhost test example invalid alt local localdomain internal intranet private corp home lan',
  'svc onion home.arpa',
  'metadata.goog metadata.tencentyun.com',
].flatMap((line) => line.split(' '))

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
const HOST_MAX_CHARS = 253

/** Characters that the WHATWG parser silently drops or rewrites: spaces, controls, backslashes. */
// oxlint-disable-next-line no-control-regex
const REWRITTEN = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff\\]/

export function readTarget(text: string): TargetReading {
  const reason = refusalOfText(text)
  if (reason !== undefined) return { kind: 'refused', reason }
  const url = parse(text)
  if (url === undefined) return { kind: 'refused', reason: 'malformed' }
  if (url.username !== '' || url.password !== '') return { kind: 'refused', reason: 'credentials' }
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isAddress = isIPv4(host) || isIPv6(host)
  if (isAddress ? isOddAddress(text, host) : !isDomainName(host)) {
    return { kind: 'refused', reason: 'odd_host' }
  }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  const path = `${url.pathname}${url.search}`
  return { kind: 'target', target: { host, isAddress, port, origin, path } }
}

/** Allows 443, and ports from 1024 that no other well-known service uses. */
export const isUsualPort = (port: number): boolean =>
  port === HTTPS_PORT || (port >= FIRST_UNPRIVILEGED_PORT && !SERVICE_PORTS.has(port))

/** Whether a name has no meaning in the public DNS, such as a single label. */
export const isInternalName = (name: string): boolean =>
  !name.includes('.') ||
  INTERNAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))

function refusalOfText(text: string): RefusalReason | undefined {
  if (text.length > URL_MAX_CHARS) return 'too_long'
  if (REWRITTEN.test(text)) return 'malformed'
  if (!/^https:/i.test(text)) return 'not_https'
  if (!/^https:\/\/[^/?#]/i.test(text)) return 'malformed'
  if (authorityOf(text).includes('@')) return 'credentials'
  if (text.includes('#')) return 'fragment'
  if (authorityOf(text).includes('%')) return 'odd_host'
  return undefined
}

const authorityOf = (text: string): string => /^https:\/\/([^/?#]*)/i.exec(text)?.[1] ?? ''

function parse(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Spellings such as `0x7f.1`, `2130706433` or full-width digits, which only serve to evade checks. */
function isOddAddress(text: string, host: string): boolean {
  if (isIPv6(host)) return false
  const written = authorityOf(text).replace(/:\d*$/, '')
  return written !== host
}

function isDomainName(host: string): boolean {
  const labels = host.split('.')
  const top = labels.at(-1) ?? ''
  const isNamed = labels.length === 1 ? LABEL.test(top) : TOP_LABEL.test(top)
  return host.length <= HOST_MAX_CHARS && isNamed && labels.every((label) => LABEL.test(label))
}
