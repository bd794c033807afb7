import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../test/database.ts'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../../../test/support/edge-logs.ts'
import { conditionsOf, createMatcher, type LogFilters } from './filters.ts'
import { LEVELS } from './level.ts'
import { wordsOf } from './query/words.ts'

const clickhouse = testClickHouse()

const org_id = randomUUID()
const PIECES = [
  'pay',
  'PAY',
  'Pay_2',
  '…',
  '-',
  ' ',
  '"',
  "'",
  '\\',
  '\n',
  '\0',
  'ß',
  'SS',
  'é',
  'e\u0301',
  'İ',
  'Σ',
  'ς',
  '日本',
  '語',
  '本',
  'ไทย',
  '🐎',
  '½',
  'ﬁ',
  'Ａ',
  '٣',
  '\u00a0',
  '\ud800',
  '%',
  '{q:String}',
]
const NAMES = ['', 'a', 'A', "a'b", 'ü\\n', '{x:String}', '日本']

const message = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(' ')),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
)
const entry = fc.record({
  message: message.map((text) => text.toWellFormed()),
  level: fc.constantFrom(...LEVELS),
  device_id: fc.constantFrom(...NAMES),
  category: fc.constantFrom(...NAMES),
  environment: fc.constantFrom(...NAMES),
  error_fingerprint: fc.constantFrom(...NAMES),
})
const SEED = 20_260_301
const logs: EdgeLog[] = fc
  .sample(entry, { seed: SEED, numRuns: 1500 })
  .map((fields) => edgeLog({ ...fields, org_id, received_at_ms: Date.now() }))
beforeAll(async () => await addEdgeLogs(clickhouse, logs, 2))

async function found(filters: LogFilters): Promise<string[]> {
  const { sql, params } = conditionsOf(filters)
  const rows = await clickhouse.query<{ id: string }>(
    `select id from edge_logs where org_id = {org_id:UUID} and (${sql})`,
    { ...params, org_id },
  )
  return rows.map(({ id }) => id).toSorted()
}

const matching = (filters: LogFilters): string[] => {
  const matches = createMatcher(filters)
  return logs
    .filter(matches)
    .map(({ id }) => id)
    .toSorted()
}

describe('filters', () => {
  it('select the same logs in the engine and in the live tail', async () => {
    const name = fc.option(fc.constantFrom(...NAMES), { nil: undefined })
    const filters = fc.record({
      levels: fc.option(fc.subarray([...LEVELS], { minLength: 1 }), { nil: undefined }),
      device_id: name,
      category: name,
      environment: name,
      error_fingerprint: name,
    })
    for (const filter of fc.sample(filters, { seed: SEED, numRuns: 40 })) {
      expect(await found(filter)).toEqual(matching(filter))
    }
  })

  it('find the same logs by words and phrases of any alphabet in the engine and in the live tail', async () => {
    const words = logs.flatMap((log) => wordsOf(log.message))
    const query = fc.oneof(
      fc.constantFrom(...words),
      fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)).map((two) => two.join(' ')),
      fc.constantFrom(...logs).map((log) => `"${log.message}"`),
      fc.constantFrom(...logs).map((log) => log.message),
      fc.constantFrom('pay ss', '"pay ss"', '日本語', '本語', 'ไท', '"PAY 2"', 'σ', '½', 'fi', 'a'),
    )
    let finding = 0
    for (const q of fc.sample(query, { seed: SEED, numRuns: 120 })) {
      const ids = await found({ q })
      expect({ q, ids }).toEqual({ q, ids: matching({ q }) })
      if (ids.length > 0) finding += 1
    }
    expect(finding).toBeGreaterThan(60)
  })

  it('that are empty select everything', () => {
    expect(conditionsOf({})).toEqual({ sql: '1', params: {} })
    expect(matching({})).toHaveLength(logs.length)
  })

  it('with a search without words select nothing', async () => {
    expect(await found({ q: '…' })).toEqual([])
    expect(matching({ q: '…' })).toEqual([])
  })
})
