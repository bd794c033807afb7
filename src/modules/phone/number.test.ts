import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeNumber } from './number.ts'

test.each([
  ['+4915112345678', 'DE', 'mobile'],
  ['+493012345678', 'DE', 'landline'],
  ['+33912345678', 'FR', 'voip'],
  ['+442079460000', 'GB', 'landline'],
  ['+447400123456', 'GB', 'mobile'],
  ['+445600123456', 'GB', 'voip'],
  ['+448001111111', 'GB', 'landline'],
  ['+33612345678', 'FR', 'mobile'],
  ['+12025550100', 'US', null],
  ['+15005550006', 'US', 'voip'],
])('%s is a valid number of %s, line type %s', (e164, country_code, line_type) => {
  const facts = describeNumber(e164)
  expect(facts).toMatchObject({ is_valid: true, country_code, line_type })
  expect(e164).toBe(`+${facts.calling_code}${facts.national_number}`)
})

test('an international number is valid and has no country', () => {
  expect(describeNumber('+80012345678')).toMatchObject({
    is_valid: true,
    country_code: null,
    line_type: 'landline',
  })
})

test.each([
  '+447700900123',
  '+33700000000',
  '+1202555010',
  '+4900151123456789',
  '015112345678',
  '+',
  '',
])('"%s" is not valid and has no facts', (text) => {
  expect(describeNumber(text)).toMatchObject({
    is_valid: false,
    service: null,
    country_code: null,
    calling_code: null,
    national_number: null,
    line_type: null,
  })
})

test('any string gets an answer', () => {
  const almost = fc.stringMatching(/^\+[0-9]{1,16}$/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), almost), (text) => {
      const facts = describeNumber(text)
      expect(facts.is_valid).toBe(facts.calling_code !== null)
    }),
  )
})
