import { domainToASCII } from 'node:url'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { findLookalike } from './lookalike.ts'

const look = (domain: string) => findLookalike(domainToASCII(domain))

test.each([
  ['gmаil.com', 'foreign_letters', 'gmail.com'],
  ['раураl.com', 'foreign_letters', 'paypal.com'],
  ['οutlook.com', 'foreign_letters', 'outlook.com'],
  ['grnail.com', 'same_shape', 'gmail.com'],
  ['gmai1.com', 'same_shape', 'gmail.com'],
  ['0utlook.com', 'same_shape', 'outlook.com'],
  ['gmial.com', 'typing_slip', 'gmail.com'],
  ['gmal.com', 'typing_slip', 'gmail.com'],
  ['hotmaill.com', 'typing_slip', 'hotmail.com'],
  ['yahoo.con', 'typing_slip', 'yahoo.com'],
  ['gmail.co', 'typing_slip', 'gmail.com'],
  ['outlok.com', 'typing_slip', 'outlook.com'],
])('%s is a lookalike (%s) of %s', (shown, kind, resembles) => {
  expect(look(shown)).toEqual({ kind, resembles })
})

test('letters of two scripts in one label are found, whatever they spell', () => {
  expect(look('bаnk-login.com')).toEqual({ kind: 'mixed_scripts', label: 'bаnk-login' })
})

test.each([
  'gmail.com',
  'example.com',
  'münchen.de',
  'почта.рф',
  '東京タワー.jp',
  'tokyo東京.jp',
  '한국abc.kr',
  'ελλάδα.gr',
  'male.com',
  'gmx.com',
  'yahoo.com.br',
])('%s is not a lookalike', (shown) => {
  expect(look(shown)).toBeUndefined()
})

test('any string gets an answer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.domain()), (text) => {
      const found = findLookalike(text)
      expect(['undefined', 'object']).toContain(typeof found)
    }),
  )
})
