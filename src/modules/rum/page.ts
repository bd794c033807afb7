/**
 * What pages are told apart by: the path of their URL, without what may be personal or differs from
 * visit to visit. Query and fragment go, except for a fragment that is a route; segments that are ids
 * become `*`, so that all products are one page.
 */

/** @returns '' when neither says anything */
export function pageOf(url: string | undefined, name: string | undefined): string {
  const text = url?.trim() ?? ''
  return (text === '' ? '' : pathOf(text)) || (name?.trim() ?? '').slice(0, PAGE_MAX_CHARS)
}

/** The same again when it is given what it returned. */
export function pathOf(url: string): string {
  const parsed = parse(url)
  if (!parsed) return ''
  const route = /^#!?(\/[^?#]*)/.exec(parsed.hash)?.[0] ?? ''
  return (maskIds(parsed.pathname) + maskIds(route)).slice(0, PAGE_MAX_CHARS)
}

const PAGE_MAX_CHARS = 512
/** Longer ones are data, not addresses; the parser copies what it is given. */
const URL_MAX_CHARS = 4096

function parse(url: string): URL | undefined {
  try {
    // Apps tell paths without a host.
    return new URL(url.slice(0, URL_MAX_CHARS), 'http://page')
  } catch {
    return undefined
  }
}

const maskIds = (path: string): string => path.split('/').map(maskId).join('/')

const DIGITS = /^\d+$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** A hash, or an id of a database. */
const HEX = /^(?=.*\d)[0-9a-f]{16,}$/i

const maskId = (segment: string): string =>
  DIGITS.test(segment) || UUID.test(segment) || HEX.test(segment) ? '*' : segment
