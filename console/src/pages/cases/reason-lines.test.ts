import { expect, it } from 'vitest'
import { codesOf, linesOf } from './reason-lines.ts'

it('reason codes are edited as lines', () => {
  const codes = [
    { code: 'stolen_payment', label: 'Stolen: card or data' },
    { code: 'other', label: 'other' },
  ]
  expect(codesOf(linesOf(codes))).toEqual(codes)
  expect(codesOf('\n other \n\nstolen_payment :Stolen: card or data\n')).toEqual(codes.toReversed())
})
