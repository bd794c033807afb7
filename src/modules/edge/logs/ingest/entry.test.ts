import { randomUUID } from 'node:crypto'
import {
  type Arbitrary,
  anything,
  array,
  assert,
  constantFrom,
  jsonValue,
  object,
  oneof,
  property,
  record,
  string,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../../test/database.ts'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { createRowWriter } from '../../../../platform/clickhouse/row-binary.ts'
import { createIds } from '../../../../platform/ids.ts'
import { groupError } from '../../../error-groups/index.ts'
import type { StoredLog } from '../reading/record.ts'
import { LOG_ROWS, logsOf } from '../row.ts'
import { type BatchFacts, createEntryReader } from './entry.ts'

const clickhouse = testClickHouse()

const newId = createIds()
const NOON = new Date('2026-03-01T12:00:00.123Z')
const LIMITS = { edge_message_max_chars: 1000, edge_data_max_bytes: 200, json_max_depth: 8 }

function batchOf(facts: Partial<BatchFacts> = {}): BatchFacts {
  return {
    org_id: randomUUID(),
    mode: 'live',
    received_at: NOON,
    id: newId(NOON),
    may_be_ill_formed: true,
    dataText: (data) => JSON.stringify(data),
    groupOnReceipt: (error) => groupError(error).fingerprint,
    ...facts,
  }
}

const PLAIN = { device_id: 'till-12', level: 'info', message: 'Started' }

/** Returns the stored log, or the fault. */
function examined(entry: unknown, facts: Partial<BatchFacts> = {}, index = 0) {
  const rows = createRowWriter()
  const reader = createEntryReader(LIMITS, batchOf(facts), rows)
  const fault = reader.read(entry, index)
  const [log, ...more] = logsOf(rows.take())
  expect(more).toEqual([])
  expect(log === undefined).toBe(fault !== undefined)
  return { log, fault, deviceIds: [...reader.deviceIds] }
}

function rowOf(entry: object, facts: Partial<BatchFacts> = {}): StoredLog {
  const { log, fault } = examined(entry, facts)
  return log ?? expect.unreachable(`${fault?.field} ${fault?.problem}`)
}

function faultOf(entry: unknown): string {
  const { fault } = examined(entry)
  return fault === undefined ? 'accepted' : `${fault.field} ${fault.problem}`.trim()
}

/** Inserts rows into the real engine. @returns those in the order of the entries */
async function stored(org_id: string, rows: Buffer): Promise<Record<string, unknown>[]> {
  const into = `edge_logs (${LOG_ROWS.columns.join(', ')})`
  const signal = AbortSignal.timeout(15_000)
  await clickhouse.insert(into, [rows], randomUUID(), signal, 'RowBinary')
  return await clickhouse.query(
    'select *, toString(received_at) as received from edge_logs where org_id = {org_id:UUID} order by id',
    { org_id },
  )
}

describe('an entry', () => {
  it('becomes a row with the columns of the table', () => {
    const batch = batchOf({ mode: 'test' })
    const error = { type: 'TimeoutError', code: 'ETIMEDOUT', stack: 'at pay (pay.js:1:2)' }
    const full = {
      ...PLAIN,
      level: 'fatal',
      timestamp: '2026-02-28T23:00:00Z',
      category: 'payment',
      environment: 'production',
      error,
      data: { amount: 1, list: [null, 'x'] },
      tags: ['a', 'ü'],
      trace_id: 't',
      span_id: 's',
      unknown: 'is ignored',
    }
    const { log, deviceIds } = examined(full, batch, 0x1f)
    expect(deviceIds).toEqual(['till-12'])
    expect(log).toEqual({
      received_at_ms: Date.parse('2026-03-01T12:00:00.123Z'),
      id: `${batch.id.slice(0, -4)}001f`,
      timestamp_ms: Date.parse('2026-02-28T23:00:00Z'),
      device_id: 'till-12',
      level: 'fatal',
      message: 'Started',
      category: 'payment',
      environment: 'production',
      error_type: 'TimeoutError',
      error_code: 'ETIMEDOUT',
      error_stack: 'at pay (pay.js:1:2)',
      error_fingerprint: groupError({ ...error, message: 'Started' }).fingerprint,
      data: '{"amount":1,"list":[null,"x"]}',
      tags: ['a', 'ü'],
      trace_id: 't',
      span_id: 's',
    })
  })

  it('without a timestamp gets the time of receipt', () => {
    expect(rowOf(PLAIN)['timestamp_ms']).toBe(NOON.getTime())
    expect(rowOf({ ...PLAIN, timestamp: 1_700_000_000 })['timestamp_ms']).toBe(1_700_000_000_000)
    expect(rowOf({ ...PLAIN, timestamp: '1700000000' })['timestamp_ms']).toBe(1_700_000_000_000)
  })

  it('leaves out members that were not sent, or sent empty or as null', () => {
    const sent = {
      ...PLAIN,
      category: '',
      environment: null,
      error: { type: '', code: null },
      data: null,
      tags: null,
      timestamp: null,
    }
    const empty = { ...PLAIN, error: '', data: '', tags: '', timestamp: '', trace_id: '' }
    const { org_id, id } = batchOf()
    for (const one of [sent, empty]) {
      expect(rowOf(one, { org_id, id })).toEqual(rowOf(PLAIN, { org_id, id }))
    }
  })

  it('belongs to an error group only if its level is error or fatal', () => {
    const of = (level: string) => rowOf({ ...PLAIN, level, error: { type: 'E' } })
    expect(of('error')['error_fingerprint']).toMatch(/^[0-9a-f]{32}$/)
    expect(of('fatal')['error_fingerprint']).toBe(of('error')['error_fingerprint'])
    expect(of('warn')['error_fingerprint']).toBe('')
    expect(of('warn')['error_type']).toBe('E')
  })

  it.each([
    [null, 'must be object'],
    ['text', 'must be object'],
    [[PLAIN], 'must be object'],
    [{}, 'device_id is required'],
    [{ ...PLAIN, device_id: 7 }, 'device_id must be string'],
    [{ ...PLAIN, device_id: null }, 'device_id must be string'],
    [{ ...PLAIN, device_id: '' }, 'device_id must not have fewer than 1 characters'],
    [{ ...PLAIN, device_id: 'x'.repeat(513) }, 'device_id must not have more than 512 characters'],
    [{ ...PLAIN, device_id: 'a\0b' }, 'device_id must not contain a NUL character'],
    [{ device_id: 'a', message: '' }, 'level is required'],
    [{ ...PLAIN, level: 'INFO' }, 'level must be one of debug, info, warn, error, fatal'],
    [{ ...PLAIN, level: ['info'] }, 'level must be one of debug, info, warn, error, fatal'],
    [{ device_id: 'a', level: 'info' }, 'message is required'],
    [{ ...PLAIN, message: { text: 'x' } }, 'message must be string'],
    [{ ...PLAIN, message: 'x'.repeat(1001) }, 'message must not have more than 1000 characters'],
    [{ ...PLAIN, timestamp: 'soon' }, 'timestamp must be an ISO 8601 date or a Unix timestamp'],
    [{ ...PLAIN, timestamp: 1e20 }, 'timestamp must be an ISO 8601 date or a Unix timestamp'],
    [
      { ...PLAIN, timestamp: '+012345-06-07T08:09:10Z' },
      'timestamp must be an ISO 8601 date or a Unix timestamp',
    ],
    [{ ...PLAIN, timestamp: {} }, 'timestamp must be an ISO 8601 date or a Unix timestamp'],
    [{ ...PLAIN, category: 1 }, 'category must be string'],
    [
      { ...PLAIN, environment: 'x'.repeat(257) },
      'environment must not have more than 256 characters',
    ],
    [{ ...PLAIN, trace_id: [] }, 'trace_id must be string'],
    [{ ...PLAIN, span_id: false }, 'span_id must be string'],
    [{ ...PLAIN, error: 'boom' }, 'error must be object'],
    [{ ...PLAIN, error: { type: 1 } }, 'error.type must be string'],
    [{ ...PLAIN, error: { code: 500 } }, 'error.code must be string'],
    [
      { ...PLAIN, error: { stack: 'x'.repeat(1001) } },
      'error.stack must not have more than 1000 characters',
    ],
    [{ ...PLAIN, data: [] }, 'data must be object'],
    [{ ...PLAIN, data: 'x' }, 'data must be object'],
    [{ ...PLAIN, data: { x: 'x'.repeat(200) } }, 'data must not be larger than 200 bytes'],
    [{ ...PLAIN, tags: 'a' }, 'tags must be array'],
    [{ ...PLAIN, tags: ['a', 1] }, 'tags.1 must be string'],
    [
      { ...PLAIN, tags: Array.from({ length: 101 }, () => '') },
      'tags must not have more than 100 items',
    ],
  ])('%j is refused: %s', (entry, fault) => {
    expect(faultOf(entry)).toBe(fault)
  })

  it('is limited in characters, where a surrogate pair counts as one', () => {
    expect(faultOf({ ...PLAIN, message: '🐎'.repeat(1000) })).toBe('accepted')
    expect(faultOf({ ...PLAIN, message: '🐎'.repeat(1001) })).toContain('1000 characters')
    expect(faultOf({ ...PLAIN, device_id: 'x'.repeat(512) })).toBe('accepted')
    expect(faultOf({ ...PLAIN, data: { x: 'ü'.repeat(96) } })).toBe('accepted')
    expect(faultOf({ ...PLAIN, data: { x: 'ü'.repeat(97) } })).toContain('200 bytes')
  })

  it('with extremely deep nesting is refused without a stack overflow', () => {
    let data: object = {}
    for (let depth = 0; depth < 100_000; depth += 1) data = { data }
    expect(faultOf({ ...PLAIN, data })).toBe('data is nested more than 8 levels deep')
  })
})

describe('the engine', () => {
  it('inserts every accepted entry and returns it unchanged', async () => {
    const batch = batchOf()
    const written = createRowWriter()
    const reader = createEntryReader(LIMITS, batch, written)
    const texts = ['', 'quote " and \\ and \n\r\t', '雪 🐎 ü', 'a\0b', '\u007f\u2028', '</script>']
    const times = [
      '0001-01-01',
      '1970-01-01',
      '2099-12-31',
      '9999-12-31T23:59:59.999Z',
      '0000-01-01',
    ]
    const entries = [
      ...texts.map((message) => ({ ...PLAIN, message, tags: [message], category: message })),
      ...times.map((timestamp) => ({ ...PLAIN, timestamp })),
      { ...PLAIN, message: 'half \ud83d pair', data: { '\udc00': '\ud800' } },
    ]
    expect(entries.map((entry, index) => reader.read(entry, index))).toEqual(
      entries.map(() => undefined),
    )
    const rows = await stored(batch.org_id, written.take())
    expect(rows.map(({ message }) => message)).toEqual([
      ...texts,
      ...times.map(() => 'Started'),
      'half \ufffd pair',
    ])
    expect(rows.slice(texts.length, -1).map(({ timestamp_ms }) => timestamp_ms)).toEqual(
      times.map((time) => new Date(time).getTime()),
    )
    expect(rows[2]).toMatchObject({
      category: texts[2],
      tags: [texts[2]],
      received: '2026-03-01 12:00:00.123',
      environment: '',
      data: '',
      error_fingerprint: '',
    })
    expect(JSON.parse(String(rows.at(-1)?.['data']))).toEqual({ '\udc00': '\ud800' })
  })

  it('inserts every accepted entry of random input, and the reader never throws', async () => {
    const text = string({ unit: anyCharacter, maxLength: 20 })
    const value = oneof(jsonValue(), text, anything({ withNullPrototype: false, maxDepth: 2 }))
    const mostly = <T>(good: Arbitrary<T>) => oneof({ arbitrary: good, weight: 15 }, value)
    const times = constantFrom(0, -1, 1e12, 1e300, '2026-03-01', '0000-01-01T00:00')
    const hostile = record(
      {
        device_id: mostly(text),
        level: mostly(constantFrom('debug', 'error', 'fatal')),
        message: mostly(text),
        timestamp: mostly(times),
        category: mostly(text),
        environment: text,
        error: mostly(record({ type: text, code: text, stack: text })),
        data: mostly(object({ values: [text], maxDepth: 2 })),
        tags: mostly(array(text)),
        trace_id: text,
      },
      { requiredKeys: ['device_id', 'level', 'message'] },
    )
    const batch = batchOf()
    const written = createRowWriter()
    let count = 0
    assert(
      property(oneof({ arbitrary: hostile, weight: 9 }, jsonValue()), (entry) => {
        // Entries arrive as JSON.
        const sent = JSON.parse(JSON.stringify(entry ?? null)) as unknown
        const fault = createEntryReader(LIMITS, batch, written).read(sent, count)
        if (fault === undefined) count += 1
        else expect(fault.problem).not.toBe('')
      }),
      { numRuns: 2000 },
    )
    expect(count).toBeGreaterThan(100)
    const rows = written.take()
    const logs = logsOf(rows)
    const found = await stored(batch.org_id, rows)
    expect(found).toHaveLength(count)
    const columns = Object.keys(logs[0] ?? {}).filter((name) => name !== 'received_at_ms')
    expect(found.map((row) => columns.map((name) => row[name]))).toEqual(
      logs.map((log) => columns.map((name) => log[name as keyof StoredLog])),
    )
  })
})
