import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { formatAddress, parseAddress } from './address.ts'

const partsOf = (text: string) => {
  const parsed = parseAddress(text)
  return parsed.is_valid ? parsed.address : parsed.fault
}

describe('a valid address', () => {
  test.each([
    ['jane.doe@example.com', 'jane.doe', 'example.com', 'example.com'],
    [' Jane@Mail.Example.CO.UK ', 'Jane', 'mail.example.co.uk', 'example.co.uk'],
    ["o'neil+tag/x=1@example.com", "o'neil+tag/x=1", 'example.com', 'example.com'],
    ['"john smith"@example.com', 'john smith', 'example.com', 'example.com'],
    ['"john"@example.com', 'john', 'example.com', 'example.com'],
    ['"a\\"b@c"@example.com', 'a"b@c', 'example.com', 'example.com'],
    ['用户@例子.广告', '用户', 'xn--fsqu00a.xn--4rr70v', 'xn--fsqu00a.xn--4rr70v'],
    ['jürgen@müller.de', 'jürgen', 'xn--mller-kva.de', 'xn--mller-kva.de'],
    ['user@me.github.io', 'user', 'me.github.io', 'me.github.io'],
    ['user@co.uk', 'user', 'co.uk', 'co.uk'],
  ])('%s is split into its parts', (text, local, domain, registrable_domain) => {
    expect(partsOf(text)).toEqual({ local, domain, registrable_domain })
  })

  test('has at most the length that the standard allows', () => {
    const label = 'a'.repeat(61)
    expect(partsOf(`${'x'.repeat(64)}@example.com`)).toHaveProperty('domain', 'example.com')
    expect(partsOf(`${'x'.repeat(65)}@example.com`)).toBe('local_part_too_long')
    expect(partsOf(`${'ä'.repeat(33)}@example.com`)).toBe('local_part_too_long')
    expect(partsOf(`${'x'.repeat(2)}@${label}.${label}.${label}.${label}.com`)).toHaveProperty(
      'local',
    )
    expect(partsOf(`${'x'.repeat(3)}@${label}.${label}.${label}.${label}.com`)).toBe('too_long')
    expect(partsOf(`x@${'a'.repeat(63)}.com`)).toHaveProperty('local')
    expect(partsOf(`x@${'a'.repeat(64)}.com`)).toBe('bad_domain')
  })
})

describe('an invalid address', () => {
  test.each([
    ['', 'no_at_sign'],
    ['jane.example.com', 'no_at_sign'],
    ['@example.com', 'empty_local_part'],
    ['""@example.com', 'empty_local_part'],
    ['.jane@example.com', 'bad_local_part'],
    ['jane.@example.com', 'bad_local_part'],
    ['ja..ne@example.com', 'bad_local_part'],
    ['ja ne@example.com', 'bad_local_part'],
    ['ja\u200bne@example.com', 'bad_local_part'],
    ['ja\u202ene@example.com', 'bad_local_part'],
    ['a@b@example.com', 'bad_local_part'],
    ['"open@example.com', 'bad_local_part'],
    ['jane(comment)@example.com', 'bad_local_part'],
    ['jane@[192.0.2.1]', 'address_literal'],
    ['jane@[IPv6:2001:db8::1]', 'address_literal'],
    ['jane@192.0.2.1', 'bad_domain'],
    ['jane@0x7f.1', 'bad_domain'],
    ['jane@１.２.３.４', 'bad_domain'],
    ['jane@localhost', 'bad_domain'],
    ['jane@example', 'bad_domain'],
    ['jane@example.com.', 'bad_domain'],
    ['jane@-example.com', 'bad_domain'],
    ['jane@exa_mple.com', 'bad_domain'],
    ['jane@exa%41mple.com', 'bad_domain'],
    ['jane@example.com:25', 'bad_domain'],
    ['jane@example.com/x', 'bad_domain'],
    ['jane@\u200b.com', 'bad_domain'],
    ['jane@example..com', 'bad_domain'],
  ])('"%s" has the fault %s', (text, fault) => {
    expect(partsOf(text)).toBe(fault)
  })
})

test('any string gets an answer, and a valid address stays valid when formatted', () => {
  const near = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('@', '@@', ' @'), fc.domain())
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), near, fc.emailAddress()), (text) => {
      const parsed = parseAddress(text)
      if (!parsed.is_valid) return
      const { local, domain } = parsed.address
      const again = parseAddress(formatAddress(local, domain))
      // Quoting can make a local part exceed its maximum length.
      if (again.is_valid) expect(again.address).toEqual(parsed.address)
      else expect(again.fault).toMatch(/too_long$/)
    }),
  )
})
