import { describe, expect, it } from 'vitest'
import { faultAnswer, RequestFault } from './request-fault.ts'

describe('an error', () => {
  it('of the engine keeps its code and message', () => {
    const message = 'Query failed: Code: 47. DB::Exception: Unknown `x`. (UNKNOWN_IDENTIFIER)'
    expect(faultAnswer(new Error(message), '26.7')).toEqual({
      status: 404,
      code: 47,
      body: 'Code: 47. DB::Exception: Unknown `x`. (UNKNOWN_IDENTIFIER) (version 26.7)\n',
    })
  })

  it.each([
    [516, 403],
    [456, 404],
    [62, 400],
    [48, 501],
    [202, 503],
    [241, 500],
  ])('with code %i has status %i', (code, status) => {
    const answer = faultAnswer(new RequestFault(code, 'No.'), '26.7')
    expect(answer).toMatchObject({ status, code })
    expect(answer.body).toMatch(
      new RegExp(`^Code: ${code}\\. DB::Exception: No\\. \\([A-Z_]{3,}\\)`),
    )
  })

  it('of any other kind has status 500', () => {
    expect(faultAnswer('odd', '26.7')).toMatchObject({ status: 500, code: 1001 })
  })
})
