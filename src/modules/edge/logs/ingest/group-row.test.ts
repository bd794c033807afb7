import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { createRowWriter } from '../../../../platform/clickhouse/row-binary.ts'
import { type ErrorFacts, groupError } from '../../../error-groups/index.ts'
import { createEntryReader } from './entry.ts'
import { groupLogRow } from './group-row.ts'

const LIMITS = { edge_message_max_chars: 1000, edge_data_max_bytes: 2000, json_max_depth: 8 }

/** @returns the row of an entry as it is stored on receipt */
function rowOf(entry: object, isGrouped: boolean): Buffer {
  const rows = createRowWriter()
  const facts = {
    org_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
    mode: 'live' as const,
    received_at: new Date('2026-03-01T12:00:00.000Z'),
    id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
    may_be_ill_formed: true,
    dataText: (data: object) => JSON.stringify(data),
    groupOnReceipt: (error: ErrorFacts) => (isGrouped ? groupError(error).fingerprint : undefined),
  }
  expect(createEntryReader(LIMITS, facts, rows).read(entry, 0)).toBeUndefined()
  return rows.take()
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  // With lone surrogates, which are replaced where the text is stored.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('TypeError: x\n', '    at load (/srv/a.js:1:2)\n', '\ud800', 'x 12 '), {
      maxLength: 9,
    })
    .map((parts) => parts.join('')),
)
const optional = fc.option(text, { nil: undefined })

describe('an error that is grouped after its receipt', () => {
  it('gets the same group as one that is grouped on receipt', () => {
    const entry = fc.record({
      device_id: fc.constant('till-1'),
      level: fc.constantFrom('info', 'error', 'fatal'),
      message: text,
      error: fc.option(fc.record({ type: optional, code: optional, stack: optional }), {
        nil: undefined,
      }),
      data: fc.constantFrom(undefined, { error_fingerprint: 'x', level: 'error' }),
      tags: fc.constantFrom(undefined, ['"level":"info"']),
    })
    fc.assert(
      fc.property(entry, (sent) => {
        const later = groupLogRow(rowOf(sent, false), true)
        expect(later).toEqual(rowOf(sent, true))
        expect(groupLogRow(later, true)).toBe(later)
      }),
      { numRuns: 1000 },
    )
  })

  it('gets its group in a line of an earlier version', () => {
    const line = Buffer.from('{"level":"error","message":"out of paper"}\n')
    const { fingerprint } = groupError({ message: 'out of paper' })
    const grouped = groupLogRow(line, false)
    expect(JSON.parse(String(grouped))).toMatchObject({ error_fingerprint: fingerprint })
    expect(groupLogRow(grouped, false)).toBe(grouped)
  })
})
