/** The review queue: which orders enter it and what decisions change. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReviewDetails, ReviewPage } from '../../src/modules/reviews/index.ts'
import { type Tenant, useHarness } from '../harness.ts'
import { countRows, eventsOf } from '../support/books.ts'
import { useCommands } from '../support/commands.ts'
import { confirmFraud } from '../support/voices.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()
const PATH = '/console/api/reviews'

type Shop = Tenant & { token: string }
type Scored = {
  order: { id: string; external_order_id: string }
  risk: {
    risk_score: number
    signals: Record<string, number>
    flags: string[]
    flagged_for_review: boolean
  }
}
type Decided = { review: ReviewDetails['review']; changed: boolean }

async function createShop(): Promise<Shop> {
  const tenant = await harness().createTenant()
  return { ...tenant, token: await harness().signIn(tenant.org_id, 'member') }
}

const confirm = async (shop: Shop, given: Record<string, unknown>, mode?: 'live' | 'test') => {
  await harness().services.reputation_operator.setTrust(shop.org_id, true)
  await confirmFraud(harness(), shop, given, mode)
}

async function order(key: string, given: Record<string, unknown> = {}): Promise<Scored> {
  const body = {
    external_order_id: `o-${randomUUID()}`,
    amount_cents: 2500,
    order_type: 'online',
    payment_method: 'card',
    ...given,
  }
  const answer = await harness().call<Scored>({ method: 'POST', path: '/v1/orders', key, body })
  expect(answer.status).toBe(200)
  return answer.body.content
}

/** Sends many orders of one profile. @returns the first flagged one */
async function flaggedOrder({ keys }: Shop, given: Record<string, unknown> = {}): Promise<Scored> {
  const external_id = `hasty-${randomUUID()}`
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const scored = await order(keys.live_secret, { external_id, ...given })
    if (scored.risk.flagged_for_review) return scored
  }
  throw new Error('none of a hundred rapid orders was flagged')
}

const list = async ({ org_id, token }: Shop, query: Record<string, string> = {}) => {
  const path = `${PATH}?${new URLSearchParams({ org_id, ...query }).toString()}`
  return (await harness().call<ReviewPage>({ method: 'GET', path, token })).body.content.reviews
}
const decide = async (
  { org_id, token }: Shop,
  id: string,
  decision: string,
  more: Record<string, unknown> = {},
) =>
  await harness().post<Decided>(`${PATH}/${id}/decision`, { org_id, decision, ...more }, { token })

describe('a flagged order', () => {
  it('waits in the queue, with the numbers behind its score', async () => {
    const shop = await createShop()
    const { order: record, risk } = await flaggedOrder(shop)
    const [review, ...others] = await list(shop, { subject: 'order' })
    expect(others).toEqual([])
    expect(review).toMatchObject({
      subject: 'order',
      subject_id: record.id,
      external_id: record.external_order_id,
      risk_score: risk.risk_score,
      flags: risk.flags,
      decision: null,
    })
    expect(review?.reason).toMatch(/\w/)
    const { body } = await harness().get<ReviewDetails>(
      `${PATH}/${review?.id}?org_id=${shop.org_id}`,
      { token: shop.token },
    )
    expect(body.content.record).toMatchObject({ order: record, risk })
    expect(body.content.decisions).toEqual([])
  })

  it('with a test key waits separately', async () => {
    const shop = await createShop()
    const test = { ...shop, keys: { ...shop.keys, live_secret: shop.keys.test_secret } }
    const { order: record } = await flaggedOrder(test)
    expect(await list(shop)).toEqual([])
    const [review] = await list(shop, { mode: 'test', subject: 'order' })
    expect(review?.subject_id).toBe(record.id)
  })

  it('leaves the queue when decided and labeled once', async () => {
    const shop = await createShop()
    const { order: record } = await flaggedOrder(shop)
    const [review] = await list(shop, { subject: 'order' })
    const first = await decide(shop, review?.id ?? '', 'legitimate', { note: 'called them' })
    expect(first.status).toBe(200)
    expect(first.body.content).toMatchObject({
      changed: true,
      review: { id: review?.id, decision: 'legitimate', note: 'called them' },
    })
    const again = await decide(shop, record.id, 'legitimate')
    expect(again.body.content).toEqual({ ...first.body.content, changed: false })
    expect(await list(shop)).toEqual([])
    expect(await list(shop, { state: 'decided', subject: 'order' })).toHaveLength(1)
  })

  it('is hidden from other organizations', async () => {
    const [shop, other] = [await createShop(), await createShop()]
    const { order: record } = await flaggedOrder(shop)
    const [review] = await list(shop, { subject: 'order' })
    expect(await list(other)).toEqual([])
    for (const id of [review?.id ?? '', record.id, record.external_order_id]) {
      expect((await decide(other, id, 'confirmed_fraud')).status).toBe(404)
      expect((await decide({ ...other, org_id: shop.org_id }, id, 'legitimate')).status).toBe(404)
    }
    expect(await list(shop, { subject: 'order' })).toHaveLength(1)
  })

  it.each(['unknown', '%00', 'a%00b', 'x'.repeat(400)])(
    'is not found by the name %s',
    async (name) => {
      const shop = await createShop()
      expect((await decide(shop, name, 'legitimate')).status).toBe(404)
      const path = `${PATH}/${name}?org_id=${shop.org_id}`
      expect((await harness().call({ method: 'GET', path, token: shop.token })).status).toBe(404)
    },
  )

  it('is also found by its id in capital letters', async () => {
    const shop = await createShop()
    await flaggedOrder(shop)
    const [review] = await list(shop, { subject: 'order' })
    const id = review?.id ?? ''
    const decided = await decide(shop, id.toUpperCase(), 'legitimate')
    expect(decided.body.content).toMatchObject({ changed: true, review: { id } })
  })
})

describe('an alert', () => {
  it('waits with its order and is closed together with it', async () => {
    const [shop, ...others] = [await createShop(), await createShop(), await createShop()]
    const fingerprint_hash = randomUUID()
    for (const other of others) await confirm(other, { fingerprint_hash })
    const { order: record } = await order(shop.keys.live_secret, { fingerprint_hash })
    const [alert, ...more] = await list(shop, { subject: 'alert' })
    expect(more).toEqual([])
    expect(alert).toMatchObject({ subject_id: record.id, external_id: record.external_order_id })
    const { body } = await decide(shop, alert?.id ?? '', 'legitimate')
    expect(body.content.review).toMatchObject({ id: alert?.id, decision: 'legitimate' })
    expect(await list(shop)).toEqual([])
    const { risk } = await order(shop.keys.live_secret, { fingerprint_hash })
    expect(risk.signals['pattern']).toBe(0)
  })
})

describe('an order that was not flagged', () => {
  it('can be decided by the id of the organization', async () => {
    const shop = await createShop()
    const { order: record, risk } = await order(shop.keys.live_secret)
    expect(risk.flagged_for_review).toBe(false)
    const { body } = await decide(shop, record.external_order_id, 'confirmed_fraud')
    expect(body.content).toMatchObject({
      changed: true,
      review: { subject: 'order', subject_id: record.id, risk_score: risk.risk_score },
    })
    expect(await list(shop)).toEqual([])
    expect(await list(shop, { state: 'decided' })).toHaveLength(1)
  })

  it('needs the mode when both modes use the id', async () => {
    const shop = await createShop()
    const external_order_id = `both-${randomUUID()}`
    await order(shop.keys.live_secret, { external_order_id })
    const test = await order(shop.keys.test_secret, { external_order_id })
    const refused = await decide(shop, external_order_id, 'legitimate')
    expect(refused).toMatchObject({ status: 400, body: { content: { field: 'mode' } } })
    const decided = await decide(shop, external_order_id, 'legitimate', { mode: 'test' })
    expect(decided.body.content.review).toMatchObject({ subject_id: test.order.id, mode: 'test' })
  })
})

describe('the decision that an order was fraud', () => {
  it('raises the score of related orders until it is taken back', async () => {
    const shop = await createShop()
    const behind = { external_id: `p-${randomUUID()}`, fingerprint_hash: randomUUID() }
    const { order: record, risk: before } = await order(shop.keys.live_secret, behind)
    await decide(shop, record.id, 'confirmed_fraud')
    const { risk: after } = await order(shop.keys.live_secret, behind)
    expect(after.risk_score).toBeGreaterThan(before.risk_score + 25)
    await decide(shop, record.id, 'legitimate')
    const { risk: cleared } = await order(shop.keys.live_secret, behind)
    expect(cleared.risk_score).toBeLessThan(after.risk_score - 25)
  })

  it('emits an event when it changes the risk level of the profile', async () => {
    const shop = await createShop()
    const external_id = `p-${randomUUID()}`
    const { order: record } = await order(shop.keys.live_secret, { external_id })
    const levels = async () =>
      (await eventsOf(harness().stores.db, shop.org_id))
        .filter(({ type }) => type === 'profile.risk.changed')
        .map(({ body }) => (JSON.parse(body) as { data: object }).data)
    expect(await levels()).toEqual([])
    await decide(shop, record.id, 'confirmed_fraud')
    const [change, ...others] = await levels()
    expect(change).toMatchObject({
      profile: { external_id, risk_level: 'critical' },
      previous_risk_level: 'low',
    })
    expect(others).toEqual([])
  })

  it('affects the device in other organizations once two of them agree', async () => {
    const [first, second, asking] = [await createShop(), await createShop(), await createShop()]
    const fingerprint_hash = randomUUID()
    const pattern = async () => {
      const { risk } = await order(asking.keys.live_secret, { fingerprint_hash })
      return risk.signals['pattern'] ?? 0
    }
    expect(await pattern()).toBe(0)
    const strengths: number[] = []
    for (const shop of [first, second]) {
      await confirm(shop, { fingerprint_hash })
      strengths.push(await pattern())
    }
    expect(strengths).toEqual([0, 60])
  })

  it('with a test key affects only test orders', async () => {
    const [first, second, asking] = [await createShop(), await createShop(), await createShop()]
    const fingerprint_hash = randomUUID()
    for (const shop of [first, second]) await confirm(shop, { fingerprint_hash }, 'test')
    const scores = async (key: string) => (await order(key, { fingerprint_hash })).risk.signals
    expect((await scores(asking.keys.live_secret))['pattern']).toBe(0)
    expect((await scores(asking.keys.test_secret))['pattern']).toBeGreaterThanOrEqual(50)
  })

  it('costs nothing', async () => {
    const shop = await createShop()
    const { order: record } = await order(shop.keys.live_secret)
    const before = await countRows(harness().stores.db, shop.org_id)
    await decide(shop, record.id, 'confirmed_fraud')
    const after = await countRows(harness().stores.db, shop.org_id)
    expect(after['usage_events']).toBe(before['usage_events'])
  })
})

describe('vigil review decide', () => {
  it('accepts a review, an order or an external_order_id and reports the result', async () => {
    const shop = await createShop()
    const { order: flagged } = await flaggedOrder(shop)
    const [review] = await list(shop, { subject: 'order' })
    const fraud = await vigil('review', 'decide', review?.id ?? '', 'fraud', '--note', 'chargeback')
    const { external_order_id } = flagged
    expect(fraud.stdout).toBe(`Order ${external_order_id} labeled fraud\n`)
    const again = await vigil('review', 'decide', flagged.id, 'fraud')
    expect(again.stdout).toBe(`Order ${external_order_id} was already labeled fraud\n`)
    const decided = await vigilJson<Decided>('review', 'decide', external_order_id, 'legitimate')
    expect(decided).toMatchObject({
      changed: true,
      review: { decision: 'legitimate', decided_by: 'cli', note: null },
    })
    const [closed] = await list(shop, { state: 'decided', subject: 'order' })
    expect(closed).toEqual(decided.review)
  })

  it('requires the organization when several use the id', async () => {
    const [shop, other] = [await createShop(), await createShop()]
    const external_order_id = `shared-${randomUUID()}`
    for (const { keys } of [shop, other]) await order(keys.live_secret, { external_order_id })
    const args = ['review', 'decide', external_order_id, 'fraud']
    expect(await vigil(...args)).toMatchObject({
      status: 1,
      stderr: `Several orders have the id ${external_order_id}. Select one with --org and --mode.\n`,
    })
    const { review } = await vigilJson<Decided>(...args, '--org', shop.org_id)
    expect(review.org_id).toBe(shop.org_id)
  })
})
