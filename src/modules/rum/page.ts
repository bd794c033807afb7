/**
 * The page of an event: the path of its URL without parts that can be personal or that differ by
 * visit. Query and fragment are removed, except for a fragment that is a route. Ids in the path become
 * `*`, so that all products are one page.
 */

/** @returns '' when neither identifies a page */
export function pageOf(url: string | undefined, name: string | undefined): string {
  const text = url?.trim() ?? ''
  return (text === '' ? '' : pathOf(text)) || (name?.trim() ?? '').slice(0, PAGE_MAX_CHARS)
}

/** Idempotent. @returns '' for an invalid URL */
export function pathOf(url: string): string {
  const parsed = parse(url)
  if (!parsed) return ''
  const route = /^#!?(\/[^?#]*)/.exec(parsed.hash)?.[0] ?? ''
  return (maskIds(parsed.pathname) + maskIds(route)).slice(0, PAGE_MAX_CHARS)
}

const PAGE_MAX_CHARS = 512
/** Longer URLs contain data; the limit bounds the work of the parser. */
const URL_MAX_CHARS = 4096

function parse(url: string): URL | undefined {
  try {
    // Apps send paths without a host.
    return new URL(url.slice(0, URL_MAX_CHARS), 'http://page')
  } catch {
    return undefined
  }
}

const maskIds = (path: string): string => path.split('/').map(maskId).join('/')

const DIGITS = /^\d+$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Matches hashes and ids of databases. */
const HEX = /^(?=.*\d)[0-9a-f]{16,}$/i

const maskId = (segment: string): string =>
  DIGITS.test(segment) || UUID.test(segment) || HEX.test(segment) ? '*' : segment
