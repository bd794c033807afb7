import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAddress } from './address.ts'
import { canonicalAddress, patternKey, spellingsOf } from './canonical.ts'

const canonical = (text: string) => {
  const parsed = parseAddress(text)
  return parsed.is_valid ? canonicalAddress(parsed.address) : `invalid: ${parsed.fault}`
}

describe('spellings of one mailbox get one key', () => {
  test.each([
    ['John.Doe+shop@GoogleMail.com', 'johndoe@gmail.com'],
    ['j.o.h.n.d.o.e@gmail.com', 'johndoe@gmail.com'],
    ['jane+x@outlook.com', 'jane@outlook.com'],
    ['jane.doe+x@hotmail.co.uk', 'jane.doe@hotmail.co.uk'],
    ['jane+x@me.com', 'jane@icloud.com'],
    ['jane+x@protonmail.com', 'jane@proton.me'],
    ['jane+x@zoho.com', 'jane@zoho.com'],
    ['jane-shop@yahoo.com', 'jane@yahoo.com'],
    ['jane-shop@yahoo.co.jp', 'jane@yahoo.co.jp'],
    ['shop@jane.fastmail.com', 'jane@fastmail.com'],
    ['jane+x@fastmail.com', 'jane@fastmail.com'],
    ['jane@ya.ru', 'jane@yandex.ru'],
    ['"jane"@gmail.com', 'jane@gmail.com'],
  ])('%s → %s', (text, key) => {
    expect(canonical(text)).toBe(key)
    // Quoted names and subdomains of users are rare, and not looked for.
    const isFound = new RegExp(`^${spellingsOf(key)}$`, 'i').test(text)
    expect(isFound).toBe(!/^"|@jane\./.test(text))
  })
})

describe('spellings that may be different mailboxes have different keys', () => {
  test.each([
    ['jane+x@example.com', 'jane+x@example.com'],
    ['jane-doe@gmail.com', 'jane-doe@gmail.com'],
    ['j.doe@outlook.com', 'j.doe@outlook.com'],
    ['jane-x@yahoo.example.com', 'jane-x@yahoo.example.com'],
    ['jane+x@live.example.com', 'jane+x@live.example.com'],
    ['+x@gmail.com', '+x@gmail.com'],
  ])('%s → %s', (text, key) => {
    expect(canonical(text)).toBe(key)
  })
})

test('members of a numbered series share their pattern key', () => {
  expect(patternKey('user0001@gmail.com')).toBe('user####@gmail.com')
  expect(patternKey('user0001@gmail.com')).toBe(patternKey('user0099@gmail.com'))
  expect(patternKey('user1@gmail.com')).not.toBe(patternKey('user0001@gmail.com'))
  expect(patternKey('jane@example2.com')).toBeNull()
  expect(patternKey('123456789@qq.com')).toBeNull()
})

test('the canonical form is idempotent', () => {
  const local = fc.oneof(
    fc.stringMatching(/^[a-zA-Z0-9+.-]{1,20}$/),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ maxLength: 20 }).map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
  )
  const domain = fc.oneof(
    fc.constantFrom('gmail.com', 'googlemail.com', 'yahoo.de', 'me.com', 'a.fastmail.com', 'pm.me'),
    fc.constantFrom('x+y.fastmail.com', 'outlook.com', 'xn--mller-kva.de'),
    fc.domain(),
  )
  fc.assert(
    fc.property(local, domain, (localPart, domainPart) => {
      const once = canonical(`${localPart}@${domainPart}`)
      fc.pre(!once.startsWith('invalid'))
      // Quoting can make a local part exceed its maximum length; then it cannot be parsed again.
      fc.pre(parseAddress(once).is_valid)
      expect(canonical(once)).toBe(once)
    }),
    { numRuns: 2000 },
  )
})
