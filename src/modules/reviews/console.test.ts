import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addReview } from '../../../test/support/reviews.ts'
import type { Role } from '../accounts/tables.ts'
import type { NewReview, ReviewPage } from './index.ts'
import type { ReviewCase, ReviewCounts, ReviewList, ReviewNeighbors } from './schema.ts'

const harness = useHarness()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'
const PATH = '/console/api/reviews'

type Member = { org_id: string; token: string }

async function createMember(role: Role = 'member'): Promise<Member> {
  const { org_id } = await harness().createTenant()
  return { org_id, token: await harness().signIn(org_id, role) }
}
const add = async ({ org_id }: Member, given: Partial<NewReview> = {}) =>
  await addReview(harness().stores.db, org_id, given)
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))

const get = async <Content = ReviewPage & { field: string }>(
  { token }: Member,
  path: string,
  query: Record<string, string>,
) =>
  await harness().call<Content>({
    method: 'GET',
    path: `${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
const decide = async ({ token }: Member, id: string, body: Record<string, unknown>) =>
  await harness().call<{ field: string }>({
    method: 'POST',
    path: `${PATH}/${id}/decision`,
    token,
    body,
  })

describe('GET /console/api/reviews', () => {
  it.each(['owner', 'admin', 'member'] as const)(
    'shows the open queue to an owner, an admin and a member: %s',
    async (role) => {
      const member = await createMember(role)
      const older = await add(member, { created_at: at(1), risk_score: 90 })
      const newer = await add(member, { created_at: at(2), subject: 'alert', reason: 'shared' })
      await add(member, { mode: 'test' })
      const { status, body } = await get(member, PATH, { org_id: member.org_id })
      expect(status).toBe(200)
      const shown = ({ created_at, ...review }: NewReview, risk_level: string) => ({
        ...review,
        risk_level,
        created_at: created_at.toISOString(),
        decision: null,
        decided_at: null,
        decided_by: null,
        note: null,
      })
      expect(body.content).toEqual({
        reviews: [shown(newer, 'high'), shown(older, 'critical')],
        next_cursor: null,
        people: {},
      })
    },
  )

  it('filters, orders and pages', async () => {
    const member = await createMember()
    const { org_id } = member
    const scores = [55, 99, 70]
    const rows: NewReview[] = []
    for (const [minute, risk_score] of scores.entries()) {
      rows.push(await add(member, { risk_score, created_at: at(minute) }))
    }
    const action = await add(member, { subject: 'cashier_action', mode: 'test' })
    const ids = async (query: Record<string, string>) => {
      const { body } = await get(member, PATH, { org_id, ...query })
      return body.content.reviews.map(({ id }) => id)
    }
    const [low, high, middle] = rows.map(({ id }) => id)
    expect(await ids({ order: 'highest' })).toEqual([high, middle, low])
    expect(await ids({ mode: 'test', subject: 'cashier_action' })).toEqual([action.id])
    expect(await ids({ subject: 'alert' })).toEqual([])
    expect(await ids({ state: 'decided' })).toEqual([])
    const first = await get(member, PATH, { org_id, limit: '2' })
    const cursor = first.body.content.next_cursor ?? ''
    expect(await ids({ limit: '2', cursor })).toEqual([low])
  })

  it('is hidden from users who are not members', async () => {
    const [member, other] = [await createMember(), await createMember('owner')]
    await add(member)
    for (const org_id of [member.org_id, NO_ONE, 'x', '']) {
      const { status, body } = await get(other, PATH, { org_id })
      expect({ status, body }).toEqual({
        status: 404,
        body: { success: false, message: 'Not found' },
      })
    }
  })

  it.each([
    ['org_id', {}],
    ['state', { state: 'closed' }],
    ['subject', { subject: 'check' }],
    ['mode', { mode: 'all' }],
    ['limit', { limit: '0' }],
    ['limit', { limit: '201' }],
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: '60.1' }],
    ['cursor', { cursor: `9999.${NO_ONE}` }],
    ['order', { order: 'highest', state: 'all' }],
  ])('names the invalid field %s: %j', async (field, query) => {
    const member = await createMember()
    const org = field === 'org_id' ? undefined : { org_id: member.org_id }
    const { status, body } = await get(member, PATH, { ...org, ...query })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', content: { field } })
  })

  it('accepts access tokens only', async () => {
    const { keys, org_id } = await harness().createTenant()
    const path = `${PATH}?org_id=${org_id}`
    const answer = await harness().call({ method: 'GET', path, key: keys.live_secret })
    expect(answer.status).toBe(401)
  })
})

describe('GET /console/api/reviews/:id', () => {
  it('shows a review only to members of its organization', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { id, org_id } = await add(member)
    const { status, body } = await get(member, `${PATH}/${id}`, { org_id })
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ review: { id, decision: null }, decisions: [] })
    for (const [who, of, what] of [
      [other, org_id, id],
      [other, other.org_id, id],
      [member, org_id, NO_ONE],
      [member, org_id, 'x'],
    ] as const) {
      expect((await get(who, `${PATH}/${what}`, { org_id: of })).status).toBe(404)
    }
  })
})

describe('POST /console/api/reviews/:id/decision', () => {
  it('is hidden from users who are not members, and for unknown reviews', async () => {
    const [member, other] = [await createMember(), await createMember('owner')]
    const { id, org_id } = await add(member)
    const decision = 'legitimate'
    expect((await decide(other, id, { org_id, decision })).status).toBe(404)
    expect((await decide(other, id, { org_id: other.org_id, decision })).status).toBe(404)
    expect((await decide(member, NO_ONE, { org_id, decision })).status).toBe(404)
    const { body } = await get(member, PATH, { org_id })
    expect(body.content.reviews.map((review) => review.id)).toEqual([id])
  })

  it.each([
    ['org_id', { decision: 'legitimate', org_id: undefined }],
    ['decision', {}],
    ['decision', { decision: 'fraud' }],
    ['note', { decision: 'legitimate', note: 'x'.repeat(1001) }],
    ['mode', { decision: 'legitimate', mode: 'all' }],
  ])('names the invalid field %s', async (field, body) => {
    const member = await createMember()
    const { id, org_id } = await add(member)
    const answer = await decide(member, id, { org_id, ...body })
    expect(answer.status).toBe(400)
    expect(answer.body.content.field).toBe(field)
  })
})

describe('a decision that another member has overtaken', () => {
  it('is refused without effect when it states what it expected', async () => {
    const [member] = [await createMember()]
    const { org_id } = member
    const { body } = await harness().call<{ order: { id: string } }>({
      method: 'POST',
      path: '/v1/orders',
      key: (await harness().services.keys.create(org_id, 'live_secret'))?.key ?? '',
      body: { external_order_id: 'o-1', amount_cents: 100 },
    })
    const { id } = body.content.order
    const fraud = { org_id, decision: 'confirmed_fraud', expected: null }
    const legitimate = { org_id, decision: 'legitimate', expected: null }
    expect((await decide(member, id, fraud)).status).toBe(200)
    const late = await decide(member, id, legitimate)
    expect([late.status, late.body.content.field]).toEqual([400, 'expected'])
    const { decided } = (await get<ReviewCounts>(member, `${PATH}/counts`, { org_id })).body.content
    expect(decided.order).toEqual({ confirmed_fraud: 1, legitimate: 0 })
    const agreeing = await decide(member, id, fraud)
    expect([agreeing.status, agreeing.body.message]).toEqual([200, 'Already decided this way'])
    const knowing = { ...legitimate, expected: 'confirmed_fraud' }
    expect((await decide(member, id, knowing)).status).toBe(200)
  })
})

describe('GET /console/api/reviews/counts', () => {
  const counts = async (member: Member, query: Record<string, string> = {}) =>
    (await get<ReviewCounts>(member, `${PATH}/counts`, { org_id: member.org_id, ...query })).body
      .content

  it('returns the number of open reviews and recent outcomes', async () => {
    const member = await createMember()
    const empty = { order: 0, alert: 0, cashier_action: 0, is_complete: true }
    expect(await counts(member)).toMatchObject({ open: empty })
    await add(member)
    await add(member, { subject: 'alert', reason: 'shared_device' })
    await add(member, { mode: 'test' })
    expect((await counts(member)).open).toEqual({ ...empty, order: 1, alert: 1 })
    expect((await counts(member, { mode: 'test' })).open).toEqual({ ...empty, order: 1 })
  })

  it('counts only the latest decision of each review', async () => {
    const member = await createMember()
    const { org_id } = member
    const { status, body } = await harness().call<{ order: { id: string } }>({
      method: 'POST',
      path: '/v1/orders',
      key: (await harness().services.keys.create(org_id, 'live_secret'))?.key ?? '',
      body: { external_order_id: 'o-1', amount_cents: 100 },
    })
    expect(status).toBe(200)
    const { id } = body.content.order
    await decide(member, id, { org_id, decision: 'confirmed_fraud' })
    expect((await counts(member)).decided).toMatchObject({
      order: { confirmed_fraud: 1, legitimate: 0 },
      cashier_action: { confirmed_fraud: 0, legitimate: 0 },
      is_complete: true,
    })
    await decide(member, id, { org_id, decision: 'legitimate' })
    expect((await counts(member)).decided.order).toEqual({ confirmed_fraud: 0, legitimate: 1 })
    const page = await get<ReviewList>(member, PATH, { org_id, state: 'decided' })
    const [review] = page.body.content.reviews
    expect(page.body.content.people[review?.decided_by ?? '']).toMatch(/@/)
    const details = await get<ReviewCase>(member, `${PATH}/${review?.id}`, { org_id })
    expect(details.body.content.people).toEqual(page.body.content.people)
  })

  it('of another organization do not exist', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { status } = await get(member, `${PATH}/counts`, { org_id: other.org_id })
    expect(status).toBe(404)
  })
})

describe('GET /console/api/reviews/:id/neighbors', () => {
  it.each([
    ['newest', [2, 1, 0]],
    ['highest', [1, 2, 0]],
  ])('precede and follow the review in the requested order: %s', async (order, sorted) => {
    const member = await createMember()
    const { org_id } = member
    const rows: NewReview[] = []
    for (const [minute, risk_score] of [55, 99, 70].entries()) {
      rows.push(await add(member, { risk_score, created_at: at(minute) }))
      await add(member, { subject: 'cashier_action', risk_score, created_at: at(minute) })
    }
    const ids = sorted.map((index) => rows[index]?.id)
    for (const [index, id] of ids.entries()) {
      const query = { org_id, order, subject: 'order' }
      const { body } = await get<ReviewNeighbors>(member, `${PATH}/${id}/neighbors`, query)
      expect(body.content).toEqual({
        previous_id: ids[index - 1] ?? null,
        next_id: ids[index + 1] ?? null,
      })
    }
  })

  it('of a review of another organization do not exist', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { id } = await add(other)
    for (const org_id of [member.org_id, other.org_id]) {
      expect((await get(member, `${PATH}/${id}/neighbors`, { org_id })).status).toBe(404)
    }
    const query = { org_id: member.org_id, order: 'highest', state: 'all' }
    const { status, body } = await get(member, `${PATH}/${id}/neighbors`, query)
    expect([status, body.content.field]).toEqual([400, 'order'])
  })
})
