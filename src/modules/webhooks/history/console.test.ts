import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import {
  addEndpoint,
  addEvents,
  addFailedDelivery,
  deliveriesOf,
} from '../../../../test/support/webhooks.ts'
import { settleDeliveries } from '../queue.store.ts'
import type { DeliveryDetails, DeliveryPage, Series } from './schema.ts'

const harness = useHarness()
const db = () => harness().stores.db
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

let member: { org_id: string; token: string }
beforeEach(async () => {
  const { org_id } = await harness().createTenant()
  member = { org_id, token: await harness().signIn(org_id, 'member') }
})

const get = async <C>(path: string, query: Record<string, string> = {}, as = member) =>
  await harness().call<C>({
    method: 'GET',
    path: `/console/api/webhooks${path}?${new URLSearchParams({ org_id: as.org_id, ...query }).toString()}`,
    token: as.token,
  })
const content = async <C>(path: string, query?: Record<string, string>): Promise<C> => {
  const { status, body } = await get<C>(path, query)
  expect(status).toBe(200)
  return body.content
}

/** Writes the outcome of an attempt. */
async function settle(
  endpoint_id: string,
  id: string,
  outcome: { error: string | null; response_status: number | null },
) {
  const lease_id = NO_ONE
  await sql`update webhook_deliveries set attempts = attempts + 1, lease_id = ${lease_id},
    leased_until = now() + interval '1 minute' where id = ${id}`.execute(db())
  const isDone = outcome.error === null
  const row = { response_body: 'said', latency_ms: 12, delay_ms: isDone ? null : 60_000 }
  const status = isDone ? ('succeeded' as const) : ('failed' as const)
  const { org_id } = member
  await settleDeliveries(db(), [{ org_id, endpoint_id, id, lease_id, status, ...row, ...outcome }])
}

async function addDelivery() {
  const { id: endpoint_id, url } = await addEndpoint(db(), { org_id: member.org_id })
  const [event] = await addEvents(db(), member.org_id, 1)
  const [delivery] = await deliveriesOf(db(), endpoint_id)
  if (!delivery || !event) throw new Error('an event makes a delivery')
  return { endpoint_id, url, id: delivery.id, event_id: event.id }
}

describe('GET /console/api/webhooks/:id/deliveries/:delivery_id', () => {
  it('shows the request and each attempt with its time and error', async () => {
    const { endpoint_id, url, id, event_id } = await addDelivery()
    await settle(endpoint_id, id, { error: 'Answered 503', response_status: 503 })
    await settle(endpoint_id, id, { error: 'No answer in time', response_status: null })
    await settle(endpoint_id, id, { error: null, response_status: 204 })
    const found = await content<DeliveryDetails>(`/${endpoint_id}/deliveries/${id}`)
    const at = expect.any(String) as string
    expect(found).toMatchObject({
      id,
      status: 'succeeded',
      attempts: 3,
      is_test: false,
      is_under_way: false,
      next_attempt_at: null,
      response_body: 'said',
      tried: [
        { at, error: 'Answered 503', response_status: 503, latency_ms: 12 },
        { at, error: 'No answer in time', response_status: null, latency_ms: 12 },
        { at, error: null, response_status: 204, latency_ms: 12 },
      ],
      request: {
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Vigil-Webhooks',
          'x-service-event': 'email.check.completed',
          'x-service-delivery': event_id,
        },
      },
    })
    expect(JSON.parse(found.request.body ?? '')).toMatchObject({ id: event_id })
    expect(JSON.stringify(found)).not.toContain('sealed')
  })

  it('shows the last fifty failed attempts of a delivery that is replayed repeatedly', async () => {
    const { endpoint_id, id } = await addDelivery()
    for (let attempt = 1; attempt <= 52; attempt++) {
      await settle(endpoint_id, id, { error: `Answered ${500 + attempt}`, response_status: 500 })
    }
    const { tried } = await content<DeliveryDetails>(`/${endpoint_id}/deliveries/${id}`)
    expect(tried).toHaveLength(50)
    expect([tried[0]?.error, tried[49]?.error]).toEqual(['Answered 503', 'Answered 552'])
  })

  it('shows the last attempt of a delivery from before failed attempts were stored', async () => {
    const { endpoint_id, delivery_id } = await addFailedDelivery(db(), member.org_id)
    const { tried } = await content<DeliveryDetails>(`/${endpoint_id}/deliveries/${delivery_id}`)
    expect(tried).toMatchObject([{ error: 'Answered 503', response_status: 503, latency_ms: 7 }])
  })

  it('shows no attempts for a delivery that has not been tried', async () => {
    const { endpoint_id, id } = await addDelivery()
    const found = await content<DeliveryDetails>(`/${endpoint_id}/deliveries/${id}`)
    expect(found).toMatchObject({ status: 'pending', attempted_at: null, tried: [] })
  })
})

describe('GET /console/api/webhooks/:id/deliveries', () => {
  it('lists deliveries newest first, page by page, with filters', async () => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    await addEvents(db(), member.org_id, 5)
    const rows = await deliveriesOf(db(), id)
    await settle(id, rows[1]?.id ?? '', { error: null, response_status: 200 })
    const ids = rows.map((row) => row.id).toReversed()
    const first = await content<DeliveryPage>(`/${id}/deliveries`, { limit: '3' })
    expect(first.deliveries.map((row) => row.id)).toEqual(ids.slice(0, 3))
    const cursor = first.next_cursor ?? ''
    const rest = await content<DeliveryPage>(`/${id}/deliveries`, { limit: '3', cursor })
    expect(rest.deliveries.map((row) => row.id)).toEqual(ids.slice(3))
    expect(rest).toMatchObject({ next_cursor: null, examined_until: null })
    const done = await content<DeliveryPage>(`/${id}/deliveries`, { status: 'succeeded' })
    expect(done.deliveries.map((row) => row.id)).toEqual([rows[1]?.id])
    const query = { event_type: 'order.fraud.alert' }
    expect((await content<DeliveryPage>(`/${id}/deliveries`, query)).deliveries).toEqual([])
  })

  it.each([
    ['status', 'done'],
    ['event_type', 'order.created'],
    ['cursor', 'x'],
    ['from', 'yesterday'],
  ])('rejects an invalid %s by name', async (field, given) => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    const { status, body } = await get<{ field: string }>(`/${id}/deliveries`, { [field]: given })
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })
})

describe('the success rates of endpoints', () => {
  it('are counted per endpoint and over time', async () => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    await addEvents(db(), member.org_id, 3)
    const { id: quiet } = await addEndpoint(db(), { org_id: member.org_id })
    const [good, bad] = await deliveriesOf(db(), id)
    await settle(id, good?.id ?? '', { error: null, response_status: 200 })
    await settle(id, bad?.id ?? '', { error: 'Answered 500', response_status: 500 })
    const counts = { succeeded: 1, failed: 1, exhausted: 0, pending: 1 }
    const nothing = { succeeded: 0, failed: 0, exhausted: 0, pending: 0 }
    const rates = await content<object[]>('/rates')
    expect(rates).toHaveLength(2)
    expect(rates).toContainEqual({
      endpoint_id: id,
      ...counts,
      is_partial: false,
      latency_p95_ms: 12,
    })
    expect(rates).toContainEqual({
      endpoint_id: quiet,
      ...nothing,
      is_partial: false,
      latency_p95_ms: null,
    })
    const series = await content<Series>(`/${id}/series`, { hours: '168' })
    expect(series).toMatchObject({ step_ms: 6 * 3_600_000, is_partial: false })
    expect(series.points).toMatchObject([{ ...counts, latency_p50_ms: 12, latency_p95_ms: 12 }])
  })
})

describe('an endpoint of another organization', () => {
  it('is not found, and neither is an organization that the user is not a member of', async () => {
    const { id, org_id } = await addEndpoint(db())
    await addEvents(db(), org_id, 1)
    const [delivery] = await deliveriesOf(db(), id)
    const paths = [`/${id}/deliveries`, `/${id}/series`, `/${id}/deliveries/${delivery?.id}`]
    for (const path of [...paths, '/x/deliveries', `/${id}/deliveries/x`]) {
      expect((await get(path)).status).toBe(404)
      expect((await get(path, {}, { ...member, org_id })).status).toBe(404)
    }
    expect((await get('/rates', {}, { ...member, org_id })).status).toBe(404)
  })
})
