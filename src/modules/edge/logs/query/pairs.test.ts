/** The meaning of queries, which has to be the same on the engine and in the live tail. */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../../test/database.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../../../../test/support/edge-logs.ts'
import { QUERY_NOW_MS, QUERY_PAIRS, queryEntries } from '../../../../../test/support/query-pairs.ts'
import { DAY_MS } from '../../../../platform/time-units.ts'
import { conditionsOf, createMatcher } from '../filters.ts'
import { LEVELS } from '../level.ts'
import { parseQuery } from './parse.ts'

const clickhouse = testClickHouse()

async function selected(org_id: string, q: string): Promise<Set<string>> {
  const { sql, params } = conditionsOf({ q, now_ms: QUERY_NOW_MS })
  const rows = await clickhouse.query<{ id: string }>(
    `select id from edge_logs where org_id = {org_id:UUID} and (${sql})`,
    { ...params, org_id },
  )
  return new Set(rows.map(({ id }) => id))
}

describe('a query', () => {
  const org_id = randomUUID()
  const entries = queryEntries(org_id)
  const logs = entries.map(({ log }) => log)
  beforeAll(async () => await addEdgeLogs(clickhouse, logs, 2))

  it.each(QUERY_PAIRS)('%j finds %j', async (q, finds) => {
    if (finds === '400') {
      expect(parseQuery(q)).toHaveProperty('problem')
      return
    }
    const matches = createMatcher({ q })
    const ids = await selected(org_id, q)
    const namesOf = (isFound: (log: EdgeLog) => boolean) =>
      entries.flatMap(({ name, log }) => (isFound(log) ? [name] : [])).join(' ')
    const found = { tail: namesOf(matches), engine: namesOf(({ id }) => ids.has(id)) }
    expect(found).toEqual({ tail: finds, engine: finds })
  })
})

it('finds entries that were stored with accents by words with the same accents', async () => {
  const { received_at_ms, ...log } = edgeLog({ org_id: randomUUID(), message: 'Naïve CAFÉ' })
  const row = {
    ...log,
    received_at: new Date(received_at_ms).toISOString(),
    words: 'naïve café',
  }
  const lines = [Buffer.from(`${JSON.stringify(row)}\n`)]
  await clickhouse.insert('edge_logs', lines, randomUUID(), AbortSignal.timeout(30_000))
  const isFound = async (q: string) => (await selected(log.org_id, q)).size === 1
  for (const q of ['naïve', 'CAFÉ naïve', '"naïve café"', 'naï*', '*fé', '-tea café']) {
    expect([q, await isFound(q)]).toEqual([q, true])
  }
  for (const q of ['-naïve', 'naïve -café', 'naïve tea']) {
    expect([q, await isFound(q)]).toEqual([q, false])
  }
})

const SEED = 20_260_301
const PIECES = [
  'pay',
  'Pay',
  'payment',
  'repay',
  'ß',
  'SS',
  'é',
  'E',
  'e\u0301x',
  'İ',
  'Σ',
  '日本',
  '語',
  '한국',
  '한국은',
  '_',
  '%',
  '-',
  '…',
  '7',
  'ﬁ',
  '\u0947',
]
const NAMES = ['', 'a', 'A', 'a-1', 'till-1', 'TILL-2', "a'b", 'ü\\n', '100%', 'x_y', '日本']
const KEYS = ['a', 'b', 'a.b', 'ü', 'x"y', '__proto__', 'length']
const NUMBERS = [0, -1, 1, 2.5, 1e21, -1.5e-7, 0.1, 500, 1e300]
const ODD_DATA = [
  '',
  'no json',
  '{"a":9007199254740993,"b":1}',
  '{"a":9007199254740992}',
  '{"a":18446744073709551615,"b":1}',
  '{"a":123456789012345678901234567890,"b":1}',
  '{"a":1e400,"b":1}',
  '{"a":-0,"b":"1"}',
  '{"a":"till-1","b":"A-1"}',
  '{"a":5.0000000000000000001,"b":1}',
]

const piece = fc.constantFrom(...PIECES)
const texts = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom('', ' ', '-'))
  .map(([pieces, between]) => pieces.join(between))
const value = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...NAMES),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
)
const members = (of: fc.Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...KEYS), of), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries))
const data = fc.oneof(
  {
    weight: 4,
    arbitrary: members(fc.oneof(value, members(value))).map((each) => JSON.stringify(each)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_DATA) },
)
const name = fc.constantFrom(...NAMES)
const entry = fc.record({
  message: texts,
  level: fc.constantFrom(...LEVELS),
  device_id: name,
  category: name,
  error_type: name,
  error_code: name,
  trace_id: name,
  tags: fc.array(name, { maxLength: 2 }),
  error_stack: fc.oneof(name, texts),
  data,
  timestamp_ms: fc.oneof(
    fc.constantFrom(QUERY_NOW_MS, 0, -1, Date.parse('2026-02-28T00:00:00Z')),
    fc.integer({ min: QUERY_NOW_MS - 3 * DAY_MS, max: QUERY_NOW_MS + DAY_MS }),
  ),
})

const glob = fc.oneof(
  name,
  name.map((text) => `"${text.replaceAll('"', '')}"`),
  name.map((text) => `${text}*`),
  name.map((text) => `*${text}`),
  fc.tuple(name, name).map((two) => two.join('*')),
)
const key = fc.oneof(
  fc.constantFrom(...KEYS.map((each) => each.replaceAll('"', ''))),
  fc.constantFrom('b.a', 'a.a', 'ü.length'),
)
const term = fc.oneof(
  piece,
  texts.map((text) => `"${text}"`),
  piece.map((text) => `${text}*`),
  piece.map((text) => `*${text}`),
  piece.map((text) => `*${text}*`),
  fc.constantFrom(...LEVELS).map((level) => `level:${level}`),
  fc.constantFrom('>', '>=', '<', '<=').map((sign) => `level:${sign}warn`),
  fc
    .tuple(fc.constantFrom('device', 'category', 'error_type', 'error_code', 'trace', 'tag'), glob)
    .map((two) => two.join(':')),
  fc
    .constantFrom('device', 'category', 'error_type', 'trace', 'tag', 'data')
    .map((each) => `has:${each}`),
  key.map((each) => `has:data.${each}`),
  fc.tuple(fc.constantFrom('stack', 'data'), glob).map((two) => two.join(':')),
  fc.tuple(key, glob).map(([each, text]) => `data.${each}:${text}`),
  fc
    .tuple(key, fc.constantFrom('', '>', '>=', '<', '<='), fc.constantFrom(...NUMBERS))
    .map(([each, sign, number]) => `data.${each}:${sign}${number}`),
  fc
    .tuple(
      fc.constantFrom('', '>', '>=', '<', '<='),
      fc.constantFrom('today', 'yesterday', '13m', '7h', '2026-02-28', '2026-02-28T17:13', '1970'),
    )
    .map((two) => `time:${two.join('')}`),
  fc.constantFrom(
    'data.a:-0',
    'data.a:0',
    'data.a:-1',
    'data.a:2.5',
    'data.a:5',
    'data.a:true',
    'data.b:false',
    'data.a:9007199254740993',
    'data.a:18446744073709551615',
    'data.b:1',
  ),
)
const { query } = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    term,
    tie('query').map((each) => `-(${each})`),
    term.map((each) => `-${each}`),
    fc.tuple(tie('query'), tie('query')).map((two) => two.join(' ')),
    fc.tuple(tie('query'), tie('query')).map((two) => two.join(' OR ')),
    fc.tuple(tie('query'), tie('query')).map((two) => `(${two.join(' OR ')})`),
    fc.tuple(tie('query'), tie('query')).map((two) => two.join(' AND NOT ')),
  ),
}))

describe('random queries', () => {
  const org_id = randomUUID()
  const logs = fc
    .sample(entry, { seed: SEED, numRuns: 1200 })
    .map((fields) => edgeLog({ ...fields, org_id, received_at_ms: QUERY_NOW_MS }))
  beforeAll(async () => await addEdgeLogs(clickhouse, logs, 2))

  it('find the same entries in the engine and in the live tail', async () => {
    let finding = 0
    for (const q of fc.sample(query, { seed: SEED, numRuns: 120 })) {
      const ids = await selected(org_id, q)
      const matches = createMatcher({ q })
      const differing = logs
        .filter((log) => matches(log) !== ids.has(log.id))
        .map(({ message, data: sent, device_id, tags }) => ({ message, sent, device_id, tags }))
      expect({ q, differing }).toEqual({ q, differing: [] })
      if (ids.size > 0 && ids.size < logs.length) finding += 1
    }
    expect(finding).toBeGreaterThan(60)
  }, 120_000)
})
