import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addFlaggedOrders } from '../../../../test/support/flagged-orders.ts'
import { addReview } from '../../../../test/support/reviews.ts'
import { BERLIN, TOKYO } from '../../../../test/support/traveler.ts'
import { adoptReviews } from '../index.ts'
import type {
  CaseCounts,
  CaseDetails,
  CaseList,
  CaseRecord,
  CaseSettings,
  DecidedCase,
} from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const PATH = '/console/api/cases'

type Shop = { org_id: string; key: string; ann: string; bob: string }

async function createShop(): Promise<Shop> {
  const { org_id, keys } = await harness().createTenant()
  const ann = await harness().signIn(org_id, 'member')
  const bob = await harness().signIn(org_id, 'admin')
  return { org_id, key: keys.live_secret, ann, bob }
}

const read = async <Content>({ org_id, ann }: Shop, path: string, query = ''): Promise<Content> => {
  const { status, body } = await harness().get<Content>(`${path}?org_id=${org_id}${query}`, {
    token: ann,
  })
  expect(status, body.message).toBe(200)
  return body.content
}
const list = async (shop: Shop, query = '') => (await read<CaseList>(shop, PATH, query)).cases
const first = async (shop: Shop, query = ''): Promise<CaseRecord> => {
  const [found] = await list(shop, query)
  if (!found) throw new Error('no case')
  return found
}
const details = async (shop: Shop, id: string) => await read<CaseDetails>(shop, `${PATH}/${id}`)

const userOf = async (token: string): Promise<string> =>
  (await harness().get<{ user_id: string }>('/console/api/me', { token })).body.content.user_id

const send = async <Content = CaseRecord & { field: string }>(
  shop: Shop,
  path: string,
  given: Record<string, unknown>,
  { token = shop.ann, method = 'POST' }: { token?: string; method?: 'POST' | 'PATCH' | 'PUT' } = {},
) =>
  await harness().call<Content>({
    method,
    path: `${PATH}/${path}`,
    token,
    body: { org_id: shop.org_id, ...given },
  })

/** Orders of one customer in Berlin and Tokyo by turns, all but the first flagged. */
async function addJourneys(shop: Shop, name: string, orders: number, prefix = name): Promise<void> {
  for (let index = 0; index <= orders; index += 1) {
    const place = index % 2 === 0 ? BERLIN : TOKYO
    const ordered_at = new Date(Date.now() - (orders - index + 1) * 60_000).toISOString()
    const body = {
      external_order_id: `${prefix} ${index}`,
      external_id: name,
      amount_cents: 1000,
      currency: 'EUR',
      fingerprint_hash: `device of ${name}`,
      ordered_at,
      ...place,
    }
    const answer = await harness().call({ method: 'POST', path: '/v1/orders', key: shop.key, body })
    expect(answer.status).toBe(200)
  }
}

describe('a case', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await createShop()
    await addJourneys(shop, 'ann', 4)
    await addJourneys(shop, 'bob', 2)
  })

  it('has the flagged orders of one cause, their sum, and first and last time', async () => {
    const cases = await list(shop)
    const { items, ...ofAnn } = await details(shop, cases[0]?.id ?? '')
    expect(cases.map(({ items: count }) => count)[0]).toBe(items.length)
    const orders = items.filter(({ amount_cents }) => amount_cents !== null)
    expect(ofAnn.case).toMatchObject({
      state: 'open',
      customer: 'ann',
      currency: 'EUR',
      amount_cents: orders.length * 1000,
      open_items: items.length,
      items: items.length,
      first_at: items.at(-1)?.created_at,
      last_at: items[0]?.created_at,
      risk_score: Math.max(...items.map(({ risk_score }) => risk_score)),
    })
    expect(new Set(items.map(({ customer }) => customer))).toEqual(new Set(['ann']))
    expect(ofAnn.links).toContainEqual(
      expect.objectContaining({ kind: 'device', value: 'device of ann', customers: 1, frauds: 0 }),
    )
  })

  it('has its links, and which of them occur together', async () => {
    const { id } = await first(shop)
    const { links, edges } = await details(shop, id)
    const device = { kind: 'device', value: 'device of ann' }
    const profile = { kind: 'profile', value: 'ann' }
    const items = links.find(({ kind }) => kind === 'device')?.items
    expect(edges).toContainEqual({ from: device, to: profile, items })
    const known = links.map(({ kind, value }) => `${kind} ${value}`)
    for (const { from, to } of edges) {
      expect(known).toContain(`${from.kind} ${from.value}`)
      expect(known).toContain(`${to.kind} ${to.value}`)
    }
  })

  it('is listed by amount, score and age, filtered, and paged', async () => {
    const both = (await list(shop)).map(({ id }) => id)
    expect(both).toHaveLength(2)
    expect((await list(shop, '&order=oldest')).map(({ customer }) => customer)).toEqual([
      'ann',
      'bob',
    ])
    expect((await list(shop, '&order=newest')).map(({ customer }) => customer)).toEqual([
      'bob',
      'ann',
    ])
    expect(await list(shop, '&order=score')).toHaveLength(2)
    for (const order of ['amount', 'score', 'newest', 'oldest']) {
      const page = await read<CaseList>(shop, PATH, `&limit=1&order=${order}`)
      const cursor = `&limit=1&order=${order}&cursor=${page.next_cursor}`
      const second = await read<CaseList>(shop, PATH, cursor)
      const ids = [...page.cases, ...second.cases].map(({ id }) => id)
      expect(new Set(ids)).toEqual(new Set(both))
    }
    expect(await list(shop, '&state=in_work')).toEqual([])
    expect(await list(shop, '&cause=cashier')).toEqual([])
    expect(await list(shop, '&assignee=none&escalated=no')).toHaveLength(2)
    const counts = await read<CaseCounts>(shop, `${PATH}/counts`)
    expect(counts).toMatchObject({ open: 2, in_work: 0, mine: 0, overdue: 0, is_complete: true })
    expect(counts.amounts.map(({ currency }) => currency)).toEqual(['EUR'])
  })

  it('is worked on by one member at a time', async () => {
    const { id, version } = await first(shop)
    const unclaimed = await send(shop, id, { version, assignee_id: 'x' }, { method: 'PATCH' })
    expect([unclaimed.status, unclaimed.body.content.field]).toEqual([400, 'assignee_id'])
    const decided = await send<DecidedCase>(shop, `${id}/decision`, {
      decision: 'legitimate',
      review_ids: [(await details(shop, id)).items[0]?.id],
    })
    expect(decided.body.content).toMatchObject({ decided: 1, case: { state: 'in_work' } })
    const other = await send(
      shop,
      `${id}/decision`,
      { decision: 'legitimate' },
      { token: shop.bob },
    )
    expect([other.status, other.body.content.field]).toEqual([400, 'case'])
    const stale = await send(
      shop,
      id,
      { version, assignee_id: null },
      { method: 'PATCH', token: shop.bob },
    )
    expect([stale.status, stale.body.content.field]).toEqual([400, 'version'])
    const { version: current } = (await details(shop, id)).case
    const freed = await send(
      shop,
      id,
      { version: current, assignee_id: null },
      { method: 'PATCH', token: shop.bob },
    )
    expect(freed.body.content).toMatchObject({ state: 'open', assignee_id: null })
    expect((await details(shop, id)).events.map(({ kind }) => kind)).toEqual([
      'claimed',
      'decided',
      'released',
    ])
  })

  it('belongs to one of two members who claim it at the same time', async () => {
    const { id, version } = await first(shop)
    const users = await Promise.all([shop.ann, shop.bob].map(userOf))
    const claims = await Promise.all(
      [shop.ann, shop.bob].map(async (token, index) => {
        const given = { version, assignee_id: users[index] }
        return await send(shop, id, given, { method: 'PATCH', token })
      }),
    )
    expect(claims.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect(claims.find(({ status }) => status === 400)?.body.content.field).toBe('version')
    const winner = users[claims.findIndex(({ status }) => status === 200)]
    const claimed = await details(shop, id)
    expect(claimed.case).toMatchObject({ state: 'in_work', assignee_id: winner })
    expect(claimed.events.filter(({ actor }) => actor === winner).at(-1)?.kind).toBe('claimed')
    const freed = { version: claimed.case.version, assignee_id: null }
    expect((await send(shop, id, freed, { method: 'PATCH' })).status).toBe(200)
  })

  it('waits until a time, and is escalated', async () => {
    const { id, version } = await first(shop, '&order=newest')
    const past = await send(
      shop,
      id,
      { version, waits_until: '2020-01-01T00:00:00Z' },
      { method: 'PATCH' },
    )
    expect([past.status, past.body.content.field]).toEqual([400, 'waits_until'])
    const waits_until = new Date(Date.now() + 3_600_000).toISOString()
    const waiting = await send(
      shop,
      id,
      { version, waits_until, is_escalated: true },
      { method: 'PATCH' },
    )
    expect(waiting.body.content).toMatchObject({
      state: 'waiting',
      waits_until,
      is_escalated: true,
    })
    expect((await list(shop, '&state=waiting&escalated=yes')).map((one) => one.id)).toEqual([id])
    const next = { version: version + 1, waits_until: null, is_escalated: false }
    const resumed = await send(shop, id, next, { method: 'PATCH' })
    expect(resumed.body.content).toMatchObject({
      state: 'open',
      waits_until: null,
      is_escalated: false,
    })
  })
})

describe('deciding a case', () => {
  it('decides each item by a separate step, which can be changed, and closes the case', async () => {
    const shop = await createShop()
    await addJourneys(shop, 'carl', 4)
    const { id } = await first(shop)
    const before = (await details(shop, id)).items
    const reason = await send(shop, `${id}/decision`, {
      decision: 'legitimate',
      reason_code: 'none',
    })
    expect([reason.status, reason.body.content.field]).toEqual([400, 'reason_code'])
    const { body } = await send<DecidedCase>(shop, `${id}/decision`, {
      decision: 'confirmed_fraud',
      reason_code: 'account_takeover',
      note: 'Owner did not order',
    })
    expect(body.content).toMatchObject({
      refused: [],
      case: {
        state: 'closed',
        outcome: 'fraud',
        open_items: 0,
        amount_cents: 0,
        reason_code: 'account_takeover',
      },
    })
    expect(body.content.case.frauds).toBe(before.length)
    const after = await details(shop, id)
    expect(after.items.map(({ decision, note }) => [decision, note])).toEqual(
      before.map(() => ['confirmed_fraud', 'Owner did not order']),
    )
    expect(after.links.find(({ kind }) => kind === 'profile')?.frauds).toBe(body.content.decided)
    const changed = await send<DecidedCase>(shop, `${id}/decision`, {
      decision: 'legitimate',
      review_ids: [after.items[0]?.id],
    })
    expect(changed.body.content).toMatchObject({ decided: 1, case: { outcome: 'mixed' } })
    expect((await list(shop)).map((one) => one.id)).toEqual([])
    expect((await list(shop, '&state=closed&order=newest')).map((one) => one.id)).toEqual([id])
    const foreign = await send(shop, `${id}/decision`, { decision: 'legitimate', review_ids: [id] })
    expect([foreign.status, foreign.body.content.field]).toEqual([400, 'review_ids'])
  })

  it('later orders open another case; a case closed as unsure can be opened again', async () => {
    const shop = await createShop()
    await addJourneys(shop, 'dora', 2)
    const { id, version } = await first(shop)
    const closed = await send(shop, `${id}/close`, {
      version,
      reason_code: 'not_enough_known',
      note: 'No answer',
    })
    expect(closed.body.content).toMatchObject({ state: 'closed', outcome: 'unsure' })
    await addJourneys(shop, 'dora', 2, 'later')
    const [later] = await list(shop)
    expect(later).toMatchObject({ customer: 'dora', state: 'open' })
    expect(later?.id).not.toBe(id)
    const again = await send(shop, `${id}/close`, { version, reason_code: 'not_enough_known' })
    expect([again.status, again.body.content.field]).toEqual([400, 'version'])
    const opened = await send(shop, `${id}/reopen`, { version: version + 1 })
    expect(opened.body.content).toMatchObject({ state: 'open', outcome: null })
    const noted = await send(shop, `${id}/notes`, { text: 'Customer called back' })
    expect(noted.status).toBe(200)
    expect((await details(shop, id)).events.map(({ kind }) => kind)).toEqual([
      'noted',
      'closed',
      'reopened',
      'noted',
    ])
  })

  it('a decision by the command line or an order page counts as well', async () => {
    const shop = await createShop()
    await addFlaggedOrders(harness(), shop.key, ['alone'])
    const { id } = await first(shop)
    const { items } = await details(shop, id)
    await harness().services.reviews.decide(
      items[0]?.id ?? '',
      {},
      { decision: 'legitimate', by: 'cli' },
    )
    expect((await details(shop, id)).case).toMatchObject({
      state: 'closed',
      outcome: 'legitimate',
      closed_by: null,
      open_items: 0,
      amount_cents: 0,
    })
  })
})

it('is not visible to other organizations', async () => {
  const shop = await createShop()
  await addFlaggedOrders(harness(), shop.key, ['secret'])
  const { id } = await first(shop)
  const stranger = await createShop()
  const { status } = await harness().get(`${PATH}/${id}?org_id=${stranger.org_id}`, {
    token: stranger.ann,
  })
  expect(status).toBe(404)
  for (const path of [`${id}/decision`, `${id}/notes`]) {
    const body = path.endsWith('notes') ? { text: 'x' } : { decision: 'legitimate' }
    expect((await send(stranger, path, body)).status).toBe(404)
  }
})

it('admins edit reason codes and the time limit', async () => {
  const shop = await createShop()
  const defaults = await read<CaseSettings>(shop, `${PATH}/settings`)
  expect(defaults.sla_hours).toBe(24)
  const wanted = { sla_hours: 4, reason_codes: [{ code: 'ours', label: 'Ours' }] }
  expect((await send(shop, 'settings', wanted, { method: 'PUT' })).status).toBe(403)
  const twice = { sla_hours: 4, reason_codes: [...wanted.reason_codes, ...wanted.reason_codes] }
  const refused = await send(shop, 'settings', twice, { method: 'PUT', token: shop.bob })
  expect([refused.status, refused.body.content.field]).toEqual([400, 'reason_codes'])
  expect((await send(shop, 'settings', wanted, { method: 'PUT', token: shop.bob })).status).toBe(
    200,
  )
  expect(await read(shop, `${PATH}/settings`)).toEqual(wanted)
})

it('reviews of the previous version join cases by the same rule', async () => {
  const shop = await createShop()
  const { db } = harness().stores
  await addJourneys(shop, 'emil', 3)
  const [before] = await list(shop)
  await sql`update reviews set case_id = null, amount_cents = null, currency = null, customer = null
    where org_id = ${shop.org_id}`.execute(db)
  await sql`delete from cases where org_id = ${shop.org_id}`.execute(db)
  await addReview(db, shop.org_id, { external_id: 'order that is gone' })
  const { review_subjects } = harness().services
  const { newId } = harness().core
  while ((await adoptReviews(db, { subjects: review_subjects, newId })) > 0);
  const after = await list(shop)
  expect(
    after.map(({ cause, items, amount_cents, customer }) => [
      cause.kind,
      items,
      amount_cents,
      customer,
    ]),
  ).toEqual([
    ['order', 1, 4990, null],
    [before?.cause.kind, before?.items, before?.amount_cents, 'emil'],
  ])
})

it('reviews that nodes write at the same time join one case', async () => {
  const { org_id } = await createShop()
  const { db } = harness().stores
  const join = async () => {
    const { rows } = await sql<{ id: string }>`select join_case(${org_id}::uuid, 'live',
      gen_random_uuid(), now(), array['device:x'], null, null, null, 7) as id`.execute(db)
    return rows[0]?.id
  }
  const ids = await Promise.all(Array.from({ length: 8 }, join))
  expect(new Set(ids).size).toBe(1)
})

it('a case without reviews for a week is not joined again', async () => {
  const { org_id } = await createShop()
  const { db } = harness().stores
  const join = async (at: string, causes: string[]) => {
    const { rows } = await sql<{ id: string }>`select join_case(${org_id}::uuid, 'live',
      gen_random_uuid(), ${at}::timestamptz, ${causes}, null, null, null, 7) as id`.execute(db)
    return rows[0]?.id
  }
  const opened = await join('2026-03-01', ['device:x'])
  expect(await join('2026-03-07', ['profile:y', 'device:x'])).toBe(opened)
  const later = await join('2026-03-15', ['device:x'])
  expect(later).not.toBe(opened)
  expect(await join('2026-03-16', ['device:x'])).toBe(later)
})
