import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../../test/support/edge-logs.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { AlertPreview } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

async function preview(token: string, query: Record<string, string>) {
  return await harness().call<AlertPreview & { field: string }>({
    method: 'GET',
    path: `/console/api/edge/alerts/preview?${new URLSearchParams(query).toString()}`,
    token,
  })
}

const RULE = { threshold: '3', window_minutes: '5' }

describe('the preview of an alert rule', () => {
  it('lists the firings of the last seven days, found exactly as for real rules', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const { clickhouse } = harness().stores.analytics
    const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
    const burst = (minutesAgo: number, count: number) =>
      Array.from({ length: count }, () =>
        edgeLog({
          org_id,
          received_at_ms: now - minutesAgo * MINUTE_MS,
          category: 'payment',
          message: 'Card reader is silent',
        }),
      )
    await addEdgeLogs(clickhouse, [
      ...burst(9 * 24 * 60, 50),
      ...burst(2000, 3),
      ...burst(1000, 2),
      ...burst(100, 7),
    ])
    const { body } = await preview(token, { org_id, ...RULE, q: 'reader', category: 'payment' })
    const minute = (ago: number) => new Date(now - ago * MINUTE_MS).toISOString()
    expect(body.content).toMatchObject({
      fired: 2,
      most_in_window: 7,
      firings: [{ fired_at: minute(99) }, { fired_at: minute(1999) }],
    })
    for (const { fired_at, resolved_at } of body.content.firings) {
      expect(Date.parse(resolved_at ?? '')).toBeGreaterThan(Date.parse(fired_at))
    }
    const other = await preview(token, { org_id, ...RULE, category: 'network' })
    expect(other.body.content).toMatchObject({ fired: 0, most_in_window: 0, firings: [] })
  })

  it('shows that it would still be firing', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const received_at_ms = Date.now() - 3 * MINUTE_MS
    await addEdgeLogs(
      harness().stores.analytics.clickhouse,
      Array.from({ length: 3 }, () => edgeLog({ org_id, received_at_ms })),
    )
    const { body } = await preview(token, { org_id, ...RULE })
    expect(body.content.firings).toMatchObject([{ resolved_at: null }])
  })

  it('is for members only and names the invalid field', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const foreign = await harness().signIn((await harness().createTenant()).org_id)
    expect((await preview(foreign, { org_id, ...RULE })).status).toBe(404)
    for (const [field, value] of [
      ['threshold', '0'],
      ['window_minutes', '1441'],
      ['level', 'loud'],
      ['q', '…'],
      ['severity', 'error'],
    ] as const) {
      const { status, body } = await preview(token, { org_id, ...RULE, [field]: value })
      expect([status, body.content.field]).toEqual([400, field])
    }
  })
})
