/** Filters, headers, rates and overlapping secrets of endpoints, in the database that evaluates them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addEndpoint, deliveriesOf, newEvent } from '../../../../test/support/webhooks.ts'
import { emitEvents } from '../../events/index.ts'
import { filterPath } from './filter.ts'
import { sealHeaders } from './headers.ts'
import type { EventFilter } from './schema.ts'

const db = testDatabase()

type Conditions = EventFilter['conditions']
const all = (...conditions: Conditions): EventFilter => ({ match: 'all', conditions })
const any = (...conditions: Conditions): EventFilter => ({ match: 'any', conditions })

const DATA = {
  amount_cents: 12_000,
  name: 'Ann "O\'Neil" $1',
  is_new: false,
  nothing: null,
  metadata: { 'customer-id': 'acme' },
  items: [{ sku: 'A-1' }, { sku: 'B-2' }],
}

async function passes(filter: EventFilter, data: unknown = DATA): Promise<boolean> {
  const { org_id, id } = await addEndpoint(db, { filter_path: filterPath(filter) })
  await emitEvents(db, [newEvent(org_id, { data })])
  return (await deliveriesOf(db, id)).length === 1
}

describe('a filter', () => {
  it.each<[string, EventFilter]>([
    ['a number', all({ field: 'data.amount_cents', operator: 'gt', value: 10_000 })],
    ['a text with quotes', all({ field: 'data.name', operator: 'eq', value: DATA.name })],
    ['a part of a text', all({ field: 'data.name', operator: 'contains', value: '" $1' })],
    ['the beginning of a text', all({ field: 'data.name', operator: 'starts_with', value: 'Ann' })],
    ['a truth value', all({ field: 'data.is_new', operator: 'eq', value: false })],
    [
      'a key with a hyphen',
      all({ field: 'data.metadata.customer-id', operator: 'eq', value: 'acme' }),
    ],
    ['any element of a list', all({ field: 'data.items.sku', operator: 'eq', value: 'B-2' })],
    [
      'one of several values',
      all({ field: 'data.amount_cents', operator: 'in', value: ['x', 12_000] }),
    ],
    ['another value', all({ field: 'data.name', operator: 'ne', value: 'Bob' })],
    ['a missing field as another value', all({ field: 'data.absent', operator: 'ne', value: 'x' })],
    [
      'another type as another value',
      all({ field: 'data.amount_cents', operator: 'ne', value: 'x' }),
    ],
    ['a missing field', all({ field: 'data.absent', operator: 'exists', value: false })],
    ['the type', all({ field: 'type', operator: 'eq', value: 'email.check.completed' })],
    [
      'any of its conditions',
      any(
        { field: 'data.amount_cents', operator: 'lt', value: 1 },
        { field: 'data.name', operator: 'gte', value: 'A' },
      ),
    ],
  ])('lets %s pass', async (_, filter) => {
    expect(await passes(filter)).toBe(true)
  })

  it.each<[string, EventFilter]>([
    ['a smaller number', all({ field: 'data.amount_cents', operator: 'gt', value: 12_000 })],
    ['a missing field', all({ field: 'data.absent', operator: 'gt', value: 0 })],
    ['a value of another type', all({ field: 'data.name', operator: 'lt', value: 5 })],
    ['the same value', all({ field: 'data.name', operator: 'ne', value: DATA.name })],
    [
      'a pattern, which is only text',
      all({ field: 'data.name', operator: 'contains', value: '.*' }),
    ],
    [
      'one of its conditions alone',
      all(
        { field: 'data.amount_cents', operator: 'gt', value: 1 },
        { field: 'data.name', operator: 'eq', value: 'Bob' },
      ),
    ],
  ])('holds back %s', async (_, filter) => {
    expect(await passes(filter)).toBe(false)
  })

  it.each(['data', 'other', 'data.a"b', 'data..a', '$.data', `data${'.a'.repeat(9)}`])(
    'refuses the field %s',
    (field) => {
      expect(() => filterPath(all({ field, operator: 'eq', value: 1 }))).toThrow(/field must be/)
    },
  )

  it.each<Conditions[number]>([
    { field: 'data.a', operator: 'gt' },
    { field: 'data.a', operator: 'eq', value: [1] },
    { field: 'data.a', operator: 'contains', value: 5 },
    { field: 'data.a', operator: 'in' },
  ])('refuses a value that its operator has no use for: %o', (condition) => {
    expect(() => filterPath(all(condition))).toThrow(/value must be/)
  })

  it('takes hostile texts as texts', async () => {
    const value = '" || true || $.id != "\\\u0000\ud800'
    expect(await passes(all({ field: 'data.name', operator: 'eq', value }))).toBe(false)
  })

  it('holds back an event that it cannot read, and stops no transaction', async () => {
    const filter = all({ field: 'data.name', operator: 'exists' })
    expect(await passes(filter, { name: 'a\u0000b' })).toBe(false)
    const { id } = await addEndpoint(db)
    expect(await deliveriesOf(db, id)).toEqual([])
  })

  it('leaves other endpoints as they are', async () => {
    const org_id = randomUUID()
    const path = filterPath(all({ field: 'data.absent', operator: 'exists' }))
    const [open, closed] = [
      await addEndpoint(db, { org_id }),
      await addEndpoint(db, { org_id, filter_path: path }),
    ]
    await emitEvents(db, [newEvent(org_id), newEvent(org_id)])
    expect(await deliveriesOf(db, open.id)).toHaveLength(2)
    expect(await deliveriesOf(db, closed.id)).toEqual([])
  })

  it('has a path that the database can read, for every operator', async () => {
    const operators = [
      'eq',
      'ne',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      'contains',
      'starts_with',
    ] as const
    const conditions = operators.map((operator) => ({ field: 'data.a.b', operator, value: 'x' }))
    for (const filter of [all(...conditions), any(...conditions)]) {
      const path = filterPath(filter)
      const { rows } = await sql<{ path: string }>`select ${path}::jsonpath as path`.execute(db)
      expect(rows).toHaveLength(1)
    }
  })
})

describe('headers of an endpoint', () => {
  const sealer = {
    seal: (plain: Buffer | string) => Promise.resolve(String(plain)),
    open: (sealed: string) => Promise.resolve(Buffer.from(sealed)),
  }
  const seal = async (headers: { name: string; value?: string }[], stored: string | null = null) =>
    await sealHeaders(sealer, 'endpoint', headers, stored)

  it('keep the values that are left out', async () => {
    const first = await seal([
      { name: 'X-Tenant', value: 'a' },
      { name: 'Authorization', value: 'Bearer x' },
    ])
    expect(first.header_names).toEqual(['x-tenant', 'authorization'])
    const next = await seal([{ name: 'authorization' }], first.sealed_headers)
    expect(next).toEqual({
      sealed_headers: '{"authorization":"Bearer x"}',
      header_names: ['authorization'],
    })
    expect(await seal([], first.sealed_headers)).toEqual({ sealed_headers: null, header_names: [] })
  })

  it.each([
    'Host',
    'Content-Length',
    'content-type',
    'Connection',
    'Transfer-Encoding',
    'Proxy-Authorization',
    'X-Service-Signature',
    'Webhook-Signature',
    'user-agent',
    'a b',
    'a:b',
    'a\r\nb',
    '__proto__\n',
  ])('cannot be %j', async (name) => {
    await expect(seal([{ name, value: 'x' }])).rejects.toThrow(/^headers: /)
  })

  it.each(['', ' a', 'a\r\nX-B: c', 'a\nb', 'ü', 'a\u0000'])('have no value %j', async (value) => {
    await expect(seal([{ name: 'x-a', value }])).rejects.toThrow(/^headers: /)
  })

  it('have one value each, and a limit for all of them', async () => {
    const twice = [
      { name: 'x-a', value: '1' },
      { name: 'X-A', value: '2' },
    ]
    await expect(seal(twice)).rejects.toThrow(/twice/)
    const large = Array.from({ length: 5 }, (_, n) => ({ name: `x-${n}`, value: 'v'.repeat(1000) }))
    await expect(seal(large)).rejects.toThrow(/exceed/)
    await expect(seal([{ name: 'x-new' }])).rejects.toThrow(/needs a value/)
    await expect(seal([{ name: '__proto__' }])).rejects.toThrow(/^headers: /)
    await expect(seal([{ name: 'constructor' }])).rejects.toThrow(/needs a value/)
  })
})
