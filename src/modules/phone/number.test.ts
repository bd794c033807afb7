import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeNumber } from './number.ts'

test.each([
  ['+4915112345678', 'DE', 'mobile', true],
  ['+493012345678', 'DE', 'landline', true],
  ['+33912345678', 'FR', 'voip', true],
  ['+442079460000', 'GB', 'landline', true],
  ['+447400123456', 'GB', 'mobile', true],
  ['+445600123456', 'GB', 'voip', true],
  ['+448001111111', 'GB', 'landline', true],
  ['+33612345678', 'FR', 'mobile', true],
  ['+12025550100', 'US', 'mobile', false],
  ['+15005550006', 'US', 'voip', true],
])('%s is a %s %s number', (e164, country_code, line_type, is_line_type_certain) => {
  const facts = describeNumber(e164)
  expect(facts).toMatchObject({ is_valid: true, country_code, line_type, is_line_type_certain })
  expect(e164).toBe(`+${facts.calling_code}${facts.national_number}`)
})

test('a number of no country is valid without one', () => {
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
  expect(describeNumber(text)).toEqual({
    is_valid: false,
    country_code: null,
    calling_code: null,
    national_number: null,
    line_type: null,
    is_line_type_certain: false,
  })
})

test('any string at all gets an answer', () => {
  const almost = fc.stringMatching(/^\+[0-9]{1,16}$/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), almost), (text) => {
      const facts = describeNumber(text)
      expect(facts.is_valid).toBe(facts.calling_code !== null)
    }),
  )
})
