import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mergeUsage } from './merge-usage.ts'
import type { UsageRow } from './tables.ts'

const ORG = randomUUID()
const AT = new Date('2026-03-01T12:59:59.999Z')

const item = (given: Partial<UsageRow> = {}): UsageRow => ({
  org_id: ORG,
  id: randomUUID(),
  mode: 'live',
  meter: 'check',
  quantity: 1,
  cost_units: 10,
  source_id: randomUUID(),
  occurred_at: AT,
  ...given,
})

describe('usage of a transaction', () => {
  it('shares a row that names every priced item', () => {
    const items = [item(), item({ cost_units: 10.4 }), item({ quantity: 2 })]
    const source_ids = items.map(({ source_id }) => source_id)
    expect(mergeUsage(items)).toEqual([{ ...items[0], quantity: 4, cost_units: 30, source_ids }])
  })

  it('keeps one item as it is', () => {
    const one = item()
    expect(mergeUsage([one])).toEqual([{ ...one, source_ids: [] }])
  })

  it('is separate for organizations, modes, meters, API keys and hours', () => {
    const items = [
      item(),
      item({ org_id: randomUUID() }),
      item({ mode: 'test' }),
      item({ meter: 'order' }),
      item({ key_id: randomUUID() }),
      item({ occurred_at: new Date(AT.getTime() + 1) }),
    ]
    const rows = mergeUsage(items)
    expect(rows.map(({ source_id }) => source_id)).toEqual(items.map(({ source_id }) => source_id))
    expect(rows.map(({ cost_units }) => cost_units)).toEqual([10, 10, 0, 10, 10, 10])
  })
})
