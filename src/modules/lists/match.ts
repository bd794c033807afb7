/** Finds the entries of an organization's lists that a request matches. Pure. */
import { addressBytes } from '../../platform/net/address-bytes.ts'
import type { ListMatch } from '../risk/index.ts'
import { domainsAbove, type IdentityForms, networkText, valueOf } from './kinds.ts'
import type { ListKind, ListName } from './tables.ts'

export type ListEntry = {
  id: string
  list: ListName
  kind: ListKind
  key_hash: string
  shown: string
  reason: string | null
  expires_at: Date | null
}

/** Identities that a request names, as sent. */
export type Identities = Partial<Record<Exclude<ListKind, 'domain' | 'network'>, string>>

export type EntrySet = {
  /** Grows with every change of the entries. */
  readonly version: number
  readonly size: number
  match(identities: Identities, at: Date): readonly ListMatch[]
}

export type SetOptions = {
  forms: IdentityForms
  /** Hashes a value as the entries were hashed. */
  keyOf: (kind: ListKind, value: string) => string
}

const NO_MATCHES: readonly ListMatch[] = []

export const EMPTY_SET: EntrySet = { version: 0, size: 0, match: () => NO_MATCHES }

export function entrySet(
  version: number,
  entries: readonly ListEntry[],
  { forms, keyOf }: SetOptions,
): EntrySet {
  if (entries.length === 0) return { ...EMPTY_SET, version }
  const byKind = new Map<ListKind, Map<string, ListEntry[]>>()
  for (const entry of entries) {
    const ofKind = byKind.get(entry.kind) ?? new Map<string, ListEntry[]>()
    byKind.set(
      entry.kind,
      ofKind.set(entry.key_hash, [...(ofKind.get(entry.key_hash) ?? []), entry]),
    )
  }
  const lengths = prefixLengths(entries)
  const find = (kind: ListKind, value: string): readonly ListEntry[] =>
    byKind.get(kind)?.get(keyOf(kind, value)) ?? []
  return {
    version,
    size: entries.length,
    match: (identities, at) => {
      const found: ListMatch[] = []
      for (const [kind, value] of candidates(forms, identities, byKind, lengths)) {
        for (const entry of find(kind, value)) if (isValid(entry, at)) found.push(matchOf(entry))
      }
      return found.length === 0 ? NO_MATCHES : found
    },
  }
}

/** Values to look up; kinds without entries cost nothing. */
function* candidates(
  forms: IdentityForms,
  identities: Identities,
  byKind: ReadonlyMap<ListKind, unknown>,
  lengths: readonly PrefixLength[],
): Generator<[ListKind, string]> {
  for (const kind in identities) {
    const text = identities[kind as keyof Identities]
    if (text === undefined || !byKind.has(kind as ListKind)) continue
    const value = valueOf(forms, kind as ListKind, text)
    if (value !== undefined) yield [kind as ListKind, value]
  }
  const { email, ip } = identities
  if (email !== undefined && byKind.has('domain')) {
    const mailbox = forms.mailbox(email) ?? ''
    for (const domain of domainsAbove(mailbox.slice(mailbox.lastIndexOf('@') + 1))) {
      yield ['domain', domain]
    }
  }
  const bytes = ip === undefined || lengths.length === 0 ? undefined : addressBytes(ip)
  if (bytes === undefined) return
  for (const { family, bits } of lengths) {
    if (family === bytes.length) yield ['network', networkText(bytes, bits)]
  }
}

/** `family` is the number of bytes of an address. */
type PrefixLength = { family: number; bits: number }

/** The prefix lengths that occur: an address is looked up once for each. */
function prefixLengths(entries: readonly ListEntry[]): PrefixLength[] {
  const lengths = new Map<string, PrefixLength>()
  for (const { kind, shown } of entries) {
    if (kind !== 'network') continue
    const [address = '', bits = ''] = shown.split('/')
    const family = address.includes(':') ? 16 : 4
    lengths.set(`${family} ${bits}`, { family, bits: Number(bits) })
  }
  return [...lengths.values()]
}

const isValid = ({ expires_at }: ListEntry, at: Date): boolean =>
  expires_at === null || expires_at > at

const matchOf = ({ list, kind, id, reason }: ListEntry): ListMatch => ({
  list,
  kind,
  id,
  ...(reason !== null && { reason }),
})
