/** Values of lists in the form that is compared, and in the form that people see. */
import { domainToASCII } from 'node:url'
import { addressBytes, addressRange } from '../../platform/net/address-bytes.ts'
import type { ListKind } from './tables.ts'

export type ListedValue = {
  /** The same for all spellings of one value. */
  value: string
  /** What people see; masked for identities that the product stores as hashes. */
  shown: string
}

/** How the rest of the product compares identities. */
export type IdentityForms = {
  /** @returns the mailbox that an address reaches, in one spelling; undefined for no address */
  mailbox: (email: string) => string | undefined
  /** @returns ISO 3166 alpha-2, or the name itself when the country is unknown */
  country: (name: string) => string
}

const VALUE_MAX_CHARS = 512
const PHONE = /^\+[1-9][0-9]{1,14}$/

/** @returns a message that completes "value must be …" for a text that is no value of the kind */
export function readValue(
  forms: IdentityForms,
  kind: ListKind,
  text: string,
): ListedValue | { wanted: string } {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > VALUE_MAX_CHARS || trimmed.includes('\0')) {
    return { wanted: `a text of 1 to ${VALUE_MAX_CHARS} characters` }
  }
  const value = valueOf(forms, kind, trimmed)
  if (value === undefined) return { wanted: WANTED[kind] }
  return { value, shown: MASKS[kind]?.(value) ?? value }
}

const WANTED: Readonly<Record<ListKind, string>> = {
  email: 'an e-mail address, such as ann@example.com',
  domain: 'a domain, such as example.com',
  phone: 'a phone number in E.164, such as +12025550143',
  device: 'a fingerprint_hash',
  ip: 'an IP address or an ip_hash',
  network: 'a network with its prefix length, such as 192.0.2.0/24',
  card: 'a card_hash',
  profile: 'an external_id',
  terminal: 'an edge_device_id',
  cashier: 'a cashier_external_id',
  country: 'the code or name of a country, such as DE or Germany',
}

/** @returns the same text for all spellings of a value; undefined for a text that is none */
export function valueOf(forms: IdentityForms, kind: ListKind, text: string): string | undefined {
  if (kind === 'email') return forms.mailbox(text)
  if (kind === 'domain') return domainValue(text.replace(/^@/, ''))
  if (kind === 'phone') return phoneValue(text)
  if (kind === 'ip') return addressValue(text)
  if (kind === 'network') return networkValue(text)
  return kind === 'country' ? countryValue(forms, text) : text
}

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

function domainValue(text: string): string | undefined {
  const domain = domainToASCII(text).toLowerCase()
  return DOMAIN.test(domain) ? domain : undefined
}

/** The domain and those above it that can be listed: `a.b.example.com`, `b.example.com`, `example.com`. */
export function domainsAbove(domain: string): string[] {
  const labels = domain.split('.')
  return Array.from({ length: Math.max(0, labels.length - 1) }, (_, index) =>
    labels.slice(index).join('.'),
  )
}

function countryValue({ country }: IdentityForms, text: string): string | undefined {
  const code = country(text)
  return /^[A-Z]{2}$/.test(code) ? code : undefined
}

const phoneValue = (text: string): string | undefined => {
  const digits = text.replaceAll(/[\s()./-]/g, '')
  return PHONE.test(digits) ? digits : undefined
}

/** An address in one spelling; any other text is the hash of one that a client computed. */
function addressValue(text: string): string | undefined {
  if (text.includes('/')) return undefined
  const bytes = addressBytes(text)
  return bytes === undefined ? text : networkText(bytes, 8 * bytes.length).split('/')[0]
}

function networkValue(text: string): string | undefined {
  const range = text.includes('/') ? addressRange(text) : undefined
  return range === undefined || range.bits === 0 ? undefined : networkText(range.bytes, range.bits)
}

/** The network of an address by its prefix length, such as `192.0.2.0/24`, in one spelling. */
export function networkText(bytes: Uint8Array, bits: number): string {
  const kept = bytes.map((byte, index) => {
    const bitsOfByte = Math.min(8, Math.max(0, bits - 8 * index))
    return byte & (0xff << (8 - bitsOfByte))
  })
  if (kept.length === 4) return `${kept.join('.')}/${bits}`
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((kept[2 * index] ?? 0) << 8) | (kept[2 * index + 1] ?? 0)).toString(16),
  )
  return `${groups.join(':')}/${bits}`
}

const SHOWN_CHARS = 4

const MASKS: Readonly<Partial<Record<ListKind, (value: string) => string>>> = {
  email: (value) => {
    const at = value.lastIndexOf('@')
    return `${value.charAt(0)}…${value.slice(at)}`
  },
  phone: (value) => `${value.slice(0, SHOWN_CHARS)}…${value.slice(-2)}`,
  device: masked,
  ip: (value) => {
    const parts = value.split(/([.:])/)
    return parts.length > 4 ? `${parts.slice(0, 4).join('')}…` : masked(value)
  },
  card: masked,
}

function masked(value: string): string {
  return value.length <= 2 * SHOWN_CHARS ? '…' : `${value.slice(0, SHOWN_CHARS)}…`
}
