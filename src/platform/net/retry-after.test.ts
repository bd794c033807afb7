import { expect, test } from 'vitest'
import { retryAfterSeconds } from './retry-after.ts'

const now = new Date('2026-10-21T07:28:00Z')

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['Wed, 21 Oct 2026 07:29:30 GMT', 90],
  ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
  ['Wednesday, 21-Oct-26 07:29:30 GMT', 90],
])('%j is %i seconds', (text, seconds) => expect(retryAfterSeconds(text, now)).toBe(seconds))

test.each([
  null,
  '',
  '-1',
  '1.5',
  '1e3',
  'soon',
  'Soon 5',
  'Wed, soon GMT',
  '2026-10-21',
  '9999999999',
])('%j is ignored', (text) => expect(retryAfterSeconds(text, now)).toBeUndefined())
