import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { createRowReader, createRowWriter, uuidBytes } from './row-binary.ts'

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom('x'.repeat(20_000), 'é'.repeat(100), 'x'.repeat(39), 'x'.repeat(127)),
)
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 2 ** 32, -(2 ** 32) - 1, 253_402_300_799_999),
)

describe('binary rows', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, integer, fc.array(text), fc.uuid())), (rows) => {
        const writer = createRowWriter()
        for (const [value, number, list, id] of rows) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters
          expect(writer.text(value)).toBe(/[^\0-\x7f]/.test(value))
          writer.integer(number)
          writer.texts(list)
          writer.fixed(uuidBytes(id))
        }
        const reader = createRowReader(writer.take())
        for (const [value, number, list, id] of rows) {
          const read = [reader.text(), reader.integer(), reader.texts(), reader.uuid()]
          expect(read).toEqual([
            value.toWellFormed(),
            number,
            list.map((one) => one.toWellFormed()),
            id,
          ])
        }
        expect(reader.isAtEnd()).toBe(true)
        expect(writer.take()).toHaveLength(0)
      }),
    )
  })

  it('that are cut off are an error', () => {
    const writer = createRowWriter()
    writer.integer(1)
    expect(() => createRowReader(writer.take().subarray(0, 5)).integer()).toThrow(RangeError)
  })
})
