/**
 * Any Unicode character, as the unit of random texts. The unit `binary` of fast-check builds a table of all million
 * characters first, which takes a second and 100 MB in every worker.
 */
import * as fc from 'fast-check'

const SURROGATES_FROM = 0xd800
const SURROGATES = 0x800
const LAST = 0x10ffff

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST - SURROGATES })
  .map(
    (index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES),
    (text) => {
      const point = typeof text === 'string' ? text.codePointAt(0) : undefined
      if (point === undefined || text !== String.fromCodePoint(point))
        throw new Error('no character')
      return point < SURROGATES_FROM ? point : point - SURROGATES
    },
  )
