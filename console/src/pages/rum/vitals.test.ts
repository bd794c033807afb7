import { expect, it } from 'vitest'
import { THRESHOLDS as OF_THE_SERVICE } from '../../../../src/modules/rum/vitals.ts'
import { THRESHOLDS, VITAL_NAMES, vitalText } from './vitals.ts'

it('good and poor are what the service calls so', () => {
  expect(THRESHOLDS).toEqual(OF_THE_SERVICE)
  expect(VITAL_NAMES).toEqual(Object.keys(OF_THE_SERVICE))
})

it.each([
  ['LCP', 2500, '2.5 s'],
  ['INP', 96.4, '96 ms'],
  ['CLS', 0.1234, '0.123'],
] as const)('%s of %d is written with its unit', (name, value, text) => {
  expect(vitalText(name, value)).toBe(text)
})
