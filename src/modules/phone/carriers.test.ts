import { expect, test } from 'vitest'
import { packPrefixes } from '../../platform/lists/digit-prefixes.ts'
import { packStrings } from '../../platform/lists/string-table.ts'
import { CARRIERS_PREFIX, loadCarriers, openCarriers } from './carriers.ts'

const carriers = openCarriers({
  ...packPrefixes(
    CARRIERS_PREFIX,
    new Map([
      ['4915', 0],
      ['491511', 1],
      ['5511', 2],
    ]),
  ),
  ...packStrings(CARRIERS_PREFIX, ['Wide', 'Narrow', 'Vivo']),
})

test('the longest prefix names the carrier', () => {
  expect(carriers.carrierOf('+4915112345678')).toBe('Narrow')
  expect(carriers.carrierOf('+4915212345678')).toBe('Wide')
  expect(carriers.carrierOf('5511987654321')).toBe('Vivo')
})

test('without a prefix the carrier is null', () => {
  for (const text of ['+12025550100', '', '+', 'x4915', '491'])
    expect(carriers.carrierOf(text)).toBeNull()
})

test('the error for a missing file names the command that creates it', () => {
  expect(() => loadCarriers('no-such-folder')).toThrow(/npm run build/)
})
