import { describe, expect, it } from 'vitest'
import { createValidators } from '../../platform/http/validation.ts'
import { groupError } from '../error-groups/index.ts'
import { createEventReader, type EventContext, type EventRow, groupEventRow } from './event.ts'
import { EVENT_MAX_BYTES, EVENT_TYPES } from './schema.ts'

const read = createEventReader(createValidators().compileBody, { json_max_depth: 32 })
const context: EventContext = {
  org_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  mode: 'live',
  session_id: 's-1',
  device_class: 'mobile',
  received_at: new Date('2026-03-02T10:15:10.000Z'),
  groupOnReceipt: (error) => groupError(error).fingerprint,
  eventText: (value) => JSON.stringify(value),
}
const TIME = '2026-03-02T10:15:00.000Z'
const VIEW = { name: 'Cart', url: 'https://shop.example/cart?voucher=1' }

/** Required members in addition to type and time. */
const NEEDED: Record<(typeof EVENT_TYPES)[number], object> = {
  session_start: {},
  session_end: {},
  view: { view: VIEW },
  action: {},
  error: { error: { message: 'x is not a function' } },
  resource: {},
  vital: { vital: { name: 'LCP', value: 1840 } },
  long_task: {},
  log: {},
}

function rowOf(event: unknown): EventRow {
  const result = read(event, context, 0)
  if ('fault' in result) throw new Error(`${result.fault.field} ${result.fault.problem}`)
  return result.row
}

function faultOf(event: unknown): string {
  const result = read(event, context, 0)
  return 'fault' in result ? `${result.fault.field} ${result.fault.problem}`.trim() : 'no fault'
}

describe('an event becomes a row', () => {
  it.each(EVENT_TYPES)('of type %s, with only its required members', (type) => {
    const event = { type, timestamp: TIME, ...NEEDED[type] }
    const { groupOnReceipt: _, eventText: _text, ...facts } = context
    expect(rowOf(event)).toMatchObject({
      ...facts,
      received_at: context.received_at.toISOString(),
      type,
      timestamp_ms: Date.parse(TIME),
      event: JSON.stringify(event),
    })
  })

  it.each(EVENT_TYPES)('of type %s, with the page on which it happened', (type) => {
    const row = rowOf({ type, timestamp: TIME, ...NEEDED[type], view: VIEW })
    expect(row).toMatchObject({ view_name: 'Cart', view_url: VIEW.url, page: '/cart' })
  })

  it.each(EVENT_TYPES)('of type %s, with null in its optional members', (type) => {
    const parts = Object.fromEntries(EVENT_TYPES.map((name) => [name, null]))
    const event = { ...parts, user: null, type, timestamp: TIME, ...NEEDED[type] }
    expect(rowOf(event).event).toBe(JSON.stringify(event))
  })

  it('with the value of a vital, whose name is in capitals', () => {
    const vital = { name: 'cls', value: 0.031, id: 'v5-1', rating: 'good' }
    expect(rowOf({ type: 'vital', timestamp: TIME, vital })).toMatchObject({
      vital_name: 'CLS',
      vital_value: 0.031,
      vital_id: 'v5-1',
    })
  })

  it('with the fingerprint of an error', () => {
    const error = { type: 'TypeError', message: 'x is not a function', stack: 'at a (app.js:1:2)' }
    const row = rowOf({ type: 'error', timestamp: TIME, error })
    expect(row).toMatchObject({ error_type: 'TypeError', error_message: error.message })
    expect(row.error_fingerprint).toMatch(/^[0-9a-f]{32}$/)
    expect(rowOf({ type: 'error', timestamp: 0, error, view: VIEW }).error_fingerprint).toBe(
      row.error_fingerprint,
    )
  })

  it('with the duration of a resource or a long task', () => {
    const duration_ms = 183.5
    const resource = { url: 'https://cdn.example/a.js', status: 200, duration_ms }
    expect(rowOf({ type: 'resource', timestamp: TIME, resource })).toMatchObject({ duration_ms })
    const event = { type: 'long_task', timestamp: TIME, long_task: { duration_ms } }
    expect(rowOf(event)).toMatchObject({ duration_ms })
  })

  it('that ignores sub-objects of other types', () => {
    const others = { error: 5, vital: 'LCP', resource: [], long_task: { duration_ms: 'x' } }
    const event = { type: 'view', timestamp: TIME, view: VIEW, ...others }
    expect(rowOf(event)).toMatchObject({
      error_message: '',
      error_fingerprint: '',
      vital_name: '',
      vital_value: 0,
      duration_ms: 0,
      event: JSON.stringify(event),
    })
  })

  it('without lone surrogates', () => {
    const event = {
      type: 'error',
      timestamp: TIME,
      view: { name: 'a\ud800', url: 'https://shop.example/\udc00' },
      error: { message: 'b\ud83d', type: '\ud83dT' },
    }
    const row = rowOf(event)
    expect(Object.values(row).every((value) => String(value).isWellFormed())).toBe(true)
    expect(JSON.parse(row.event)).toEqual(event)
  })
})

describe('the greatest numbers of an event', () => {
  it.each([
    { type: 'vital', vital: { name: 'LCP', value: 600_000 } },
    { type: 'vital', vital: { name: 'CLS', value: 100 } },
    { type: 'vital', vital: { name: 'FPS', value: 1e9 } },
    { type: 'long_task', long_task: { duration_ms: 86_400_000 } },
    { type: 'resource', resource: { status: 999, duration_ms: 86_400_000, size_bytes: 2 ** 40 } },
    { type: 'log', timestamp: '0001-01-01' },
    { type: 'log', timestamp: '9999-12-31T23:59:59.999Z' },
  ])('%j are accepted', (event) => {
    expect(faultOf({ timestamp: TIME, ...event })).toBe('no fault')
  })
})

describe('an event is refused', () => {
  it.each<[unknown, string]>([
    [null, 'must be object'],
    ['view', 'must be object'],
    [[], 'must be object'],
    [{}, 'type is required'],
    [{ type: 'view' }, 'timestamp is required'],
    [{ type: 'click', timestamp: TIME }, `type must be one of ${EVENT_TYPES.join(', ')}`],
    [{ type: 'toString', timestamp: TIME }, `type must be one of ${EVENT_TYPES.join(', ')}`],
    [{ type: 5, timestamp: TIME }, 'type must be string'],
    [{ type: 'log', timestamp: 'yesterday' }, 'timestamp is not a time'],
    [{ type: 'log', timestamp: 1e20 }, 'timestamp is not a time'],
    [{ type: 'log', timestamp: true }, 'timestamp must be string'],
    [{ type: 'log', timestamp: null }, 'timestamp must be string'],
    [{ type: 'view', timestamp: TIME }, 'view is required'],
    [{ type: 'view', timestamp: TIME, view: null }, 'view must be object'],
    [{ type: 'view', timestamp: TIME, view: {} }, 'view.url or view.name is required'],
    [{ type: 'view', timestamp: TIME, view: { url: 5 } }, 'view.url must be string'],
    [{ type: 'log', timestamp: TIME, view: { name: [] } }, 'view.name must be string'],
    [{ type: 'error', timestamp: TIME }, 'error is required'],
    [{ type: 'error', timestamp: TIME, error: {} }, 'error.message is required'],
    [{ type: 'error', timestamp: TIME, error: { message: 1 } }, 'error.message must be string'],
    [
      { type: 'error', timestamp: TIME, error: { message: '', stack: {} } },
      'error.stack must be string',
    ],
    [{ type: 'vital', timestamp: TIME }, 'vital is required'],
    [{ type: 'vital', timestamp: TIME, vital: { name: 'LCP' } }, 'vital.value is required'],
    [
      { type: 'vital', timestamp: TIME, vital: { name: 'LCP', value: -1 } },
      'vital.value must be >= 0',
    ],
    [
      { type: 'vital', timestamp: TIME, vital: { name: 'LCP', value: Number.POSITIVE_INFINITY } },
      'vital.value must be number',
    ],
    [
      { type: 'long_task', timestamp: TIME, long_task: { duration_ms: '5' } },
      'long_task.duration_ms must be number',
    ],
    ...(['LCP', 'INP', 'FCP', 'TTFB', 'lcp'] as const).map((name): [unknown, string] => [
      { type: 'vital', timestamp: TIME, vital: { name, value: 600_000.5 } },
      'vital.value must be <= 600000',
    ]),
    [
      { type: 'vital', timestamp: TIME, vital: { name: 'CLS', value: 100.5 } },
      'vital.value must be <= 100',
    ],
    [
      { type: 'vital', timestamp: TIME, vital: { name: 'FPS', value: 1e12 } },
      'vital.value must be <= 1000000000',
    ],
    [
      { type: 'long_task', timestamp: TIME, long_task: { duration_ms: 1e9 } },
      'long_task.duration_ms must be <= 86400000',
    ],
    [
      { type: 'resource', timestamp: TIME, resource: { duration_ms: 1e9 } },
      'resource.duration_ms must be <= 86400000',
    ],
    [
      { type: 'resource', timestamp: TIME, resource: { size_bytes: 2e12 } },
      'resource.size_bytes must be <= 1099511627776',
    ],
    [
      { type: 'resource', timestamp: TIME, resource: { status: 1000 } },
      'resource.status must be <= 999',
    ],
    [{ type: 'log', timestamp: '-000001-01-01' }, 'timestamp is not a time'],
    [{ type: 'log', timestamp: '+010000-01-01' }, 'timestamp is not a time'],
  ])('%j: %s', (event, fault) => {
    expect(faultOf(event)).toBe(fault)
  })

  it('when it has too many bytes', () => {
    const eventOf = (message: string) => ({ type: 'log', timestamp: TIME, log: { message } })
    const room = EVENT_MAX_BYTES - Buffer.byteLength(JSON.stringify(eventOf('')))
    expect(faultOf(eventOf('x'.repeat(room)))).toBe('no fault')
    expect(faultOf(eventOf('x'.repeat(room + 1)))).toBe('is larger than 16384 bytes')
    expect(faultOf(eventOf('é'.repeat(room / 2 + 1)))).toBe('is larger than 16384 bytes')
  })
})

describe('an error that is grouped after its receipt', () => {
  it.each([
    { message: 'x is not a function' },
    { message: '\ud800 is "not" a function', type: 'Type\udc00Error', stack: null },
    {
      message: 'gone',
      type: 'TypeError',
      stack: 'TypeError: gone\n    at load (/a/\ud800.js:1:2)',
    },
  ])('gets the same group as one that is grouped on receipt: %j', (error) => {
    const event = { type: 'error', timestamp: TIME, error }
    const later = read(event, { ...context, groupOnReceipt: () => undefined }, 0)
    if ('fault' in later) throw new Error(later.fault.problem)
    const line = Buffer.from(`${JSON.stringify({ ...later.row, id: 'id' })}\n`)
    expect(JSON.parse(String(groupEventRow(line)))).toEqual({ ...rowOf(event), id: 'id' })
  })

  it('is not looked for in other events', () => {
    const event = rowOf({ type: 'view', timestamp: TIME, view: VIEW, error: 1 })
    const line = Buffer.from(`${JSON.stringify(event)}\n`)
    expect(groupEventRow(line)).toBe(line)
  })
})
