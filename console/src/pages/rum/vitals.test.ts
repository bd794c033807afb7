import { expect, it } from 'vitest'
import { THRESHOLDS as SERVICE_THRESHOLDS } from '../../../../src/modules/rum/vitals.ts'
import { THRESHOLDS, VITAL_NAMES, vitalText } from './vitals.ts'

it('the thresholds equal those of the service', () => {
  expect(THRESHOLDS).toEqual(SERVICE_THRESHOLDS)
  expect(VITAL_NAMES).toEqual(Object.keys(SERVICE_THRESHOLDS))
})

it.each([
  ['LCP', 2500, '2.5 s'],
  ['INP', 96.4, '96 ms'],
  ['CLS', 0.1234, '0.123'],
] as const)('%s of %d is written with its unit', (name, value, text) => {
  expect(vitalText(name, value)).toBe(text)
})
