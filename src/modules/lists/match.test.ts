import { describe, expect, it } from 'vitest'
import { mailboxOf } from '../checks/email/canonical.ts'
import { createCountries } from '../orders/countries.ts'
import { decisiveMatch } from '../risk/index.ts'
import { readCsv } from './csv.ts'
import { readValue } from './kinds.ts'
import { entrySet, type Identities, type ListEntry } from './match.ts'
import type { ListKind, ListName } from './tables.ts'

const forms = { mailbox: mailboxOf, country: createCountries().codeOf }
const keyOf = (kind: ListKind, value: string) => `${kind} ${value}`
const NOW = new Date('2026-03-01T12:00:00Z')

function entry(
  list: ListName,
  kind: ListKind,
  text: string,
  more: Partial<ListEntry> = {},
): ListEntry {
  const read = readValue(forms, kind, text)
  if ('wanted' in read) throw new Error(`${text} is no ${kind}`)
  const key_hash = keyOf(kind, read.value)
  return {
    id: text,
    list,
    kind,
    key_hash,
    shown: read.shown,
    reason: null,
    expires_at: null,
    ...more,
  }
}
const matchesOf = (entries: ListEntry[], identities: Identities) =>
  entrySet(1, entries, { forms, keyOf })
    .match(identities, NOW)
    .map(({ id }) => id)

describe('an entry', () => {
  it.each<[ListKind, string, Identities]>([
    ['email', 'Ann.Lee+shop@googlemail.com', { email: 'annlee@gmail.com' }],
    ['domain', '@Example.COM', { email: 'ann@mail.example.com' }],
    ['phone', '+1 (202) 555-0143', { phone: '+12025550143' }],
    ['ip', '2001:DB8::1', { ip: '2001:db8:0:0:0:0:0:1' }],
    ['ip', 'f3a1c9', { ip: 'f3a1c9' }],
    ['network', '192.0.2.77/24', { ip: '192.0.2.200' }],
    ['network', '2001:db8::/33', { ip: '2001:db8:7fff::1' }],
    ['country', 'Germany', { country: 'DE' }],
    ['terminal', 'till 1', { terminal: 'till 1' }],
    ['card', 'ab12cd34ef', { card: 'ab12cd34ef' }],
  ])('of the kind %s matches other spellings of %s', (kind, text, identities) => {
    expect(matchesOf([entry('block', kind, text)], identities)).toEqual([text])
  })

  it.each<[ListKind, string, Identities]>([
    ['email', 'ann@example.com', { email: 'bob@example.com' }],
    ['domain', 'example.com', { email: 'ann@badexample.com' }],
    ['network', '192.0.2.0/25', { ip: '192.0.2.128' }],
    ['network', '0.0.0.0/1', { ip: '::1' }],
    ['device', 'a', { profile: 'a' }],
  ])('of the kind %s about %s matches nothing else', (kind, text, identities) => {
    expect(matchesOf([entry('block', kind, text)], identities)).toEqual([])
  })

  it('has no effect from its expiry on', () => {
    const at = (expires_at: Date) => [entry('block', 'device', 'd', { expires_at })]
    expect(matchesOf(at(new Date(NOW.getTime() + 1)), { device: 'd' })).toEqual(['d'])
    expect(matchesOf(at(NOW), { device: 'd' })).toEqual([])
  })

  it.each<[ListKind, string]>([
    ['email', 'nobody'],
    ['domain', 'com'],
    ['phone', '030 1234'],
    ['ip', '192.0.2.0/24'],
    ['network', '192.0.2.1'],
    ['network', '0.0.0.0/0'],
    ['country', 'Atlantis'],
    ['profile', ' '],
  ])('of the kind %s cannot be about %s', (kind, text) => {
    expect(readValue(forms, kind, text)).toHaveProperty('wanted')
  })

  it.each<[ListKind, string, string]>([
    ['email', 'ann@example.com', 'a…@example.com'],
    ['phone', '+12025550143', '+120…43'],
    ['device', '0123456789abcdef', '0123…'],
    ['ip', '192.0.2.1', '192.0.…'],
    ['network', '192.0.2.0/24', '192.0.2.0/24'],
    ['profile', 'customer-1', 'customer-1'],
  ])('of the kind %s about %s is shown as %s', (kind, text, shown) => {
    expect(readValue(forms, kind, text)).toMatchObject({ shown })
  })
})

it('about one person decides over one that many share, and blocking over allowing', () => {
  const match = (list: ListName, kind: ListKind) => ({ list, kind, id: `${list} ${kind}` })
  const decided = (...matches: ReturnType<typeof match>[]) => decisiveMatch(matches)?.id
  expect(decided(match('block', 'domain'), match('allow', 'email'))).toBe('allow email')
  expect(decided(match('allow', 'email'), match('block', 'device'))).toBe('block device')
  expect(decided(match('allow', 'country'), match('watch', 'network'))).toBe('watch network')
  expect(decided()).toBeUndefined()
})

describe('CSV', () => {
  it('is read with quotes, line breaks and a byte order mark', () => {
    const text =
      '\uFEFFList,kind,value,reason\r\nblock,email,a@b.co,"a ""b"",\nc"\r\n\r\nallow,phone,\'+4912,\n'
    expect(readCsv(text)).toEqual([
      { line: 2, cells: { list: 'block', kind: 'email', value: 'a@b.co', reason: 'a "b",\nc' } },
      { line: 5, cells: { list: 'allow', kind: 'phone', value: '+4912', reason: '' } },
    ])
  })

  it('needs a header', () => {
    expect(readCsv('block,email,a@example.com')).toBeUndefined()
    expect(readCsv('')).toBeUndefined()
  })

  it('is read to its end with stray quotation marks', () => {
    const rows = readCsv('list,kind,value\na"b,c"d"",e\n"x"y,z\n')
    expect(rows?.map(({ line }) => line)).toEqual([2, 3])
  })
})
