import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOKI_REQUEST } from '../../../../../test/support/loki-request.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import { decompressSnappy } from './snappy.ts'

const MAX = 100_000
const bytes = (...values: number[]) => Uint8Array.from(values)
const text = (...values: number[]) => decompressSnappy(bytes(...values), MAX).toString('latin1')

describe('the decompression of Snappy', () => {
  it('reads literals and copies, overlapping ones included', () => {
    expect(text(0)).toBe('')
    expect(text(3, 2 << 2, 97, 98, 99)).toBe('abc')
    // A literal with its length in a separate byte.
    expect(text(70, 60 << 2, 69, ...Array.from({ length: 70 }, () => 97))).toBe('a'.repeat(70))
    // Copies with an offset of one, two and four bytes.
    expect(text(7, 0, 97, (2 << 2) | 1, 1)).toBe('aaaaaaa')
    expect(text(5, 1 << 2, 97, 98, (2 << 2) | 2, 2, 0)).toBe('ababa')
    expect(text(5, 1 << 2, 97, 98, (2 << 2) | 3, 2, 0, 0, 0)).toBe('ababa')
    const request = decompressSnappy(LOKI_REQUEST, MAX).toString('latin1')
    expect(request).toContain('Card reader 7 does not answer')
    expect(request).toContain('Receipt printed. '.repeat(30))
  })

  it.each([
    ['nothing', bytes()],
    ['a length without end', bytes(255, 255, 255, 255, 255, 1)],
    ['a literal that is cut', bytes(4, 3 << 2, 97)],
    ['a literal of 4 GB', bytes(4, 63 << 2, 251, 255, 255, 255, 97, 97, 97, 97)],
    ['more than announced', bytes(1, 1 << 2, 97, 98)],
    ['less than announced', bytes(3, 1 << 2, 97, 98)],
    ['a copy of nothing', bytes(5, 0, 97, 1, 0)],
    ['a copy from before the start', bytes(5, 0, 97, 1, 2)],
    ['a copy beyond the end', bytes(4, 0, 97, 1, 1)],
    ['a copy that is cut', bytes(5, 0, 97, 2, 1)],
  ])('refuses %s', (_, input) => {
    expect(() => decompressSnappy(input, MAX)).toThrow('is not compressed with Snappy')
  })

  it('refuses a body that would be too large before it allocates memory for it', () => {
    expect(() => decompressSnappy(bytes(255, 255, 255, 255, 15, 0, 97), MAX)).toThrow(
      'The request body is larger than 100000 bytes',
    )
  })

  it('reads or refuses any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        try {
          decompressSnappy(input, MAX)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
