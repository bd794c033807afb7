/**
 * The syntax of an e-mail address: the part of RFC 5321 and RFC 5322 that public mail uses, with
 * internationalized domains (IDNA through node:url) and local parts (RFC 6531).
 *
 * Quoted local parts are valid. Comments, folding and address literals (`user@[192.0.2.1]`) are not,
 * because no service registers its customers under them.
 */
import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'

export type EmailAddress = {
  /** Unquoted and in Unicode normalization form C, in the case that was sent. */
  readonly local: string
  /** Lower-case ASCII (A-labels). */
  readonly domain: string
  /** The domain one label below the public suffix; the domain itself when that is a suffix. */
  readonly registrable_domain: string
}

export type AddressFault =
  | 'no_at_sign'
  | 'too_long'
  | 'empty_local_part'
  | 'local_part_too_long'
  | 'bad_local_part'
  | 'address_literal'
  | 'domain_too_long'
  | 'bad_domain'

export type ParsedAddress =
  | { readonly is_valid: true; readonly address: EmailAddress }
  | { readonly is_valid: false; readonly fault: AddressFault }

/** Octets: RFC 5321 4.5.3.1.1 and .3 (a path of 256 with its angle brackets). */
const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64
/** RFC 1035 2.3.4: 255 on the wire, 253 as text. */
const LONGEST_DOMAIN = 253

/** RFC 5322 atext, and the characters that RFC 6531 adds except blanks, controls and surrogates. */
const ATOM = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+$/u
const QUOTED = /^"(?:[^"\\\p{C}]|\\[^\p{C}])*"$/u
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that a URL host parser would decode, cut off or not read as part of a name. */
const NOT_A_NAME = /[\s%:/?#@\\[\]<>^|]/

/** Blanks around the address are typing slips and are ignored. */
export function parseAddress(text: string): ParsedAddress {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 0) return invalid('no_at_sign')
  const localText = trimmed.slice(0, at).normalize('NFC')
  const domainText = trimmed.slice(at + 1)
  if (Buffer.byteLength(localText) + 1 + Buffer.byteLength(domainText) > LONGEST_ADDRESS) {
    return invalid('too_long')
  }
  const localFault = faultOfLocalPart(localText)
  if (localFault !== undefined) return invalid(localFault)
  if (domainText.startsWith('[')) return invalid('address_literal')
  const domain = parseDomain(domainText)
  if (domain === undefined) return invalid('bad_domain')
  if (domain.length > LONGEST_DOMAIN) return invalid('domain_too_long')
  return { is_valid: true, address: { local: unquote(localText), domain, ...registrable(domain) } }
}

/** Returns the address as text, with the local part quoted only where it must be. */
export function formatAddress(local: string, domain: string): string {
  const isPlain = local.split('.').every((atom) => ATOM.test(atom))
  return `${isPlain ? local : `"${local.replace(/["\\]/g, '\\$&')}"`}@${domain}`
}

function invalid(fault: AddressFault): ParsedAddress {
  return { is_valid: false, fault }
}

function faultOfLocalPart(local: string): AddressFault | undefined {
  if (local === '' || local === '""') return 'empty_local_part'
  if (Buffer.byteLength(local) > LONGEST_LOCAL_PART) return 'local_part_too_long'
  if (QUOTED.test(local)) return undefined
  return local.split('.').every((atom) => ATOM.test(atom)) ? undefined : 'bad_local_part'
}

function unquote(local: string): string {
  return QUOTED.test(local) ? local.slice(1, -1).replace(/\\(.)/gu, '$1') : local
}

/** Returns the lower-case ASCII form; undefined for a text that cannot be a public mail domain. */
function parseDomain(text: string): string | undefined {
  if (NOT_A_NAME.test(text)) return undefined
  const domain = domainToASCII(text).toLowerCase()
  const labels = domain.split('.')
  if (labels.length < 2 || !labels.every((label) => DOMAIN_LABEL.test(label))) return undefined
  // No top-level domain starts with a digit; this also stops IPv4 addresses in all their spellings.
  return /^[a-z]/.test(labels.at(-1) ?? '') ? domain : undefined
}

function registrable(domain: string): { registrable_domain: string } {
  return { registrable_domain: getDomain(domain, { allowPrivateDomains: true }) ?? domain }
}
