import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { isRead } from '../../../../../test/support/is-read.ts'
import { entryOf } from './entry.ts'
import { decodeOtlpJson } from './otlp-json.ts'
import { decodeOtlpProtobuf } from './otlp-protobuf.ts'

/** A log record within its resource and scope, around the bytes of a record. */
function around(bytes: Uint8Array, fields: readonly number[]): Buffer {
  return fields.toReversed().reduce<Buffer>((inner, field) => {
    const head = [(field << 3) | 2, (inner.length & 0x7f) | 0x80, inner.length >> 7]
    return Buffer.concat([Buffer.from(head), inner])
  }, Buffer.from(bytes))
}

describe('the decoder of OTLP in protobuf', () => {
  it('reads or refuses any bytes, at any place of a message', () => {
    const places = fc.constantFrom([], [1], [1, 1], [1, 2], [1, 2, 2], [1, 2, 2, 5], [1, 2, 2, 6])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), places, (bytes, fields) => {
        isRead(() => decodeOtlpProtobuf(around(bytes, fields)).map(entryOf))
      }),
      { numRuns: 1000 },
    )
  })

  it('reads any text, and refuses a message that is cut', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: anyCharacter }), (text) => {
        const whole = around(Buffer.from(text), [1, 2, 2, 5, 1])
        expect(decodeOtlpProtobuf(whole).map(({ body }) => body)).toEqual([text.toWellFormed()])
        expect(isRead(() => decodeOtlpProtobuf(whole.subarray(0, -1)))).toBe(false)
      }),
    )
  })
})

describe('the decoder of OTLP in JSON', () => {
  const leaf = fc.record(
    {
      stringValue: fc.string(),
      intValue: fc.oneof(fc.maxSafeInteger(), fc.bigInt().map(String), fc.string()),
      doubleValue: fc.oneof(fc.double(), fc.string()),
    },
    { requiredKeys: [] },
  )
  const list = fc.record({ arrayValue: fc.record({ values: fc.array(leaf, { maxLength: 3 }) }) })
  const values = fc.array(fc.record({ key: fc.string(), value: list }), { maxLength: 3 })
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    leaf,
    list,
    fc.record({ kvlistValue: fc.record({ values }) }),
  )
  const record = fc.record(
    {
      timeUnixNano: fc.oneof(fc.bigInt().map(String), fc.double(), fc.string()),
      severityNumber: fc.oneof(fc.integer(), fc.double(), fc.string()),
      severityText: fc.string(),
      body: value,
      attributes: fc.array(fc.record({ key: fc.string(), value }), { maxLength: 3 }),
      traceId: fc.oneof(fc.string(), fc.integer()),
    },
    { requiredKeys: [] },
  )

  it('reads or refuses any JSON, and maps what it reads', () => {
    const body = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.record({
        resourceLogs: fc.array(
          fc.record({
            resource: fc.record({ attributes: fc.array(fc.record({ key: fc.string(), value })) }),
            scopeLogs: fc.array(fc.record({ logRecords: fc.array(record, { maxLength: 4 }) })),
          }),
        ),
      }),
    )
    fc.assert(
      fc.property(body, (given) => {
        isRead(() => JSON.stringify(decodeOtlpJson(given).map(entryOf)))
      }),
      { numRuns: 300 },
    )
  })
})
