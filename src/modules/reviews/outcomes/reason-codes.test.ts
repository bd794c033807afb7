import { expect, it } from 'vitest'
import { isFraudCode } from './reason-codes.ts'

it.each([
  '10.4',
  '10.1',
  '83',
  '4837',
  '4863',
  'F29',
  'UA02',
  'fraudulent',
  'un-authorized',
  'FR2',
])('the code %s means fraud', (code) => {
  expect(isFraudCode(code)).toBe(true)
})

it.each(['13.1', '12.6', '11.3', '4853', 'C08', 'product_not_received', 'duplicate', '10.45', ''])(
  'the code %s does not',
  (code) => {
    expect(isFraudCode(code)).toBe(false)
  },
)
