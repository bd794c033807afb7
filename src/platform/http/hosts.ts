/**
 * Recognizes the hosts under which clients reach the service. A page can make its own host name
 * resolve to an internal address (DNS rebinding); the browser then sends requests here that carry
 * that name, and lets the page read the responses. Addresses, `localhost` and names without a dot
 * need no list, because a page of the internet cannot have them as its own name.
 */
import { isIP } from 'node:net'

const HOST = /^(?:\[([^\]]+)\]|([^\s:/?#@\\]+))(?::\d{1,5})?$/

/** @param names further hosts that are accepted, in any letter case */
export function createHostRule(names: readonly string[]): (header: string) => boolean {
  const known = new Set(names.map(canonical))
  return (header) => {
    const match = HOST.exec(header)
    if (!match) return false
    const [, bracketed, plain = ''] = match
    if (bracketed !== undefined) return isIP(bracketed) === 6
    const name = canonical(plain)
    return !name.includes('.') || isIP(name) === 4 || known.has(name)
  }
}

/** A final dot only marks a name as absolute. */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '')
