import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { describeDomainName } from './domain-name.ts'
import { describeLocalPart } from './local-part.ts'

test.each([
  ['info', ['role_account']],
  ['No.Reply', ['role_account']],
  ['mailer-daemon', ['role_account']],
  ['support+eu', ['role_account']],
  ['bcdfgh', ['no_vowels']],
  ['axqwrtzpl', ['consonant_run']],
  ['ab12345678', ['mostly_digits']],
  ['a1b2c3d4e5', ['random_looking']],
])('%s stands out as %j', (local, findings) => {
  expect(describeLocalPart(local, 'example.com')).toEqual(findings)
})

test.each([
  'jane.doe',
  'john1984',
  'christopher.alexander',
  'müller',
  '用户123456789',
  'иван',
  'szymczyk',
])('%s does not stand out', (local) => {
  expect(describeLocalPart(local, 'example.com')).toEqual([])
})

test('numbers are ordinary names at providers that assign them', () => {
  expect(describeLocalPart('1234567890', 'qq.com')).toEqual([])
})

test.each([
  ['temp-mail.com', 'throwaway_word'],
  ['inbox-trash.org', 'throwaway_word'],
  ['dropbox.com', undefined],
  ['temporal.io', undefined],
  ['canon.com', undefined],
  ['10minutesmail.co.uk', 'throwaway_word'],
  ['johnson.tk', 'formerly_free_ending'],
  ['xkcdq.com', 'machine_made_name'],
  ['a1b2c3.com', 'machine_made_name'],
  ['siemens.com', undefined],
  ['163.com', undefined],
  ['mailfence.com', undefined],
  ['xn--mller-kva.de', undefined],
])('the letters of %s have the finding %s', (domain, finding) => {
  expect(describeDomainName(domain)).toBe(finding)
})

test('any string gets an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string(), (local, domain) => {
      expect(Array.isArray(describeLocalPart(local, domain))).toBe(true)
      expect(['undefined', 'string']).toContain(typeof describeDomainName(domain))
    }),
  )
})
