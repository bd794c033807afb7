/** OP-8: a request that is repeated with its event_id changes nothing and costs nothing. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { expireChecks } from '../../src/modules/checks/index.ts'
import { lowestIdAt } from '../../src/platform/ids.ts'
import { type Harness, useHarness } from '../harness.ts'
import { countRows } from '../support/books.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness()

type Body = Record<string, unknown>

const check = async (key: string, body: Body, on: Harness = harness()) =>
  await on.call({ method: 'POST', path: '/v1/check', key, body })

/** Returns all counts of an organization: rows of every table, and the velocity. */
async function stateOf(orgId: string) {
  const { db } = harness().stores
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(count_7d), 0) as total from velocity where org_id = ${orgId}`.execute(db)
  return { rows: await countRows(db, orgId), velocity: rows[0]?.total }
}

describe('OP-8: the same event_id again', () => {
  it('returns the stored result: no charge, no velocity, no second event', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = {
      email: newEmail(),
      phone: newPhone(),
      device: { fingerprint_hash: 'f' },
      event_id: 'a',
    }
    const first = await check(keys.live_secret, body)
    const state = await stateOf(org_id)
    for (let n = 0; n < 5; n += 1) {
      const again = await check(keys.live_secret, body)
      expect(again.status).toBe(200)
      expect(again.body).toEqual(first.body)
    }
    expect(await stateOf(org_id)).toEqual(state)
  })

  it('recognizes the payload in any order of its members', async () => {
    const { keys } = await harness().createTenant()
    const email = newEmail()
    const [a, b] = [
      { x: 1, y: { p: [1, 2], q: null } },
      { y: { q: null, p: [1, 2] }, x: 1 },
    ]
    const first = await check(keys.live_secret, {
      email,
      device: a,
      event_id: 'e',
      event_type: 'kyc',
    })
    const again = await check(keys.live_secret, {
      event_type: 'kyc',
      event_id: 'e',
      device: b,
      email,
    })
    expect(again.body).toEqual(first.body)
  })

  it('OP-141: recognizes the payload with null in place of what was left out', async () => {
    const { keys } = await harness().createTenant()
    const body = { email: newEmail(), event_id: 'n' }
    const first = await check(keys.live_secret, body)
    const nulls = { phone: null, device: null, event_type: null, metadata: null }
    const again = await check(keys.live_secret, { ...body, ...nulls })
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
  })

  it.each<[string, Body]>([
    ['another e-mail', { email: 'other@gmail.com' }],
    ['an additional member', { event_type: 'login' }],
    ['another inner member', { metadata: { n: 2 } }],
    ['another order of a list', { metadata: { n: 1, list: [2, 1] } }],
    ['a number instead of a text', { metadata: { n: '1', list: [1, 2] } }],
  ])('with another payload is a 400 that names event_id: %s', async (_, change) => {
    const { keys, org_id } = await harness().createTenant()
    const body = { email: newEmail(), metadata: { n: 1, list: [1, 2] }, event_id: 'once' }
    const first = await check(keys.live_secret, body)
    const state = await stateOf(org_id)
    const other = await check(keys.live_secret, { ...body, ...change })
    expect(other.status).toBe(400)
    expect(other.body).toEqual({
      success: false,
      message: 'event_id was used before for a different request',
      code: 'invalid_request',
      content: { field: 'event_id' },
    })
    expect(await stateOf(org_id)).toEqual(state)
    expect((await check(keys.live_secret, body)).body).toEqual(first.body)
  })

  it('is a different request in the other mode and in another organization', async () => {
    const [one, two] = [await harness().createTenant(), await harness().createTenant()]
    const bodies = [one.keys.live_secret, one.keys.test_secret, two.keys.live_secret].map((key) =>
      check(key, { email: newEmail(), event_id: 'same' }),
    )
    const answers = await Promise.all(bodies)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.content.check_id)).size).toBe(3)
  })

  it('a request that was refused does not use up its event_id', async () => {
    const { keys } = await harness().createTenant()
    const body = { email: newEmail(), event_id: 'kept' }
    expect((await check(keys.live_secret, { ...body, ip_address: '::1' })).status).toBe(400)
    expect((await check(keys.live_secret, { ...body, email: 5 })).status).toBe(400)
    expect((await check(keys.live_secret, body)).status).toBe(200)
  })

  it('requests without an event_id are all different', async () => {
    const { keys } = await harness().createTenant()
    const body = { email: newEmail() }
    const ids = [await check(keys.live_secret, body), await check(keys.live_secret, body)]
    expect(new Set(ids.map((answer) => answer.body.content.check_id)).size).toBe(2)
  })
})

describe('OP-8: the same event_id at the same time', () => {
  const second = useHarness()

  it('all requests get the first result, on one node and on several', async () => {
    const { keys, org_id } = await harness().createTenant()
    const empty = await countRows(harness().stores.db, org_id)
    const body = { email: newEmail(), phone: newPhone(), event_id: 'race' }
    const nodes = [harness(), second()]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => check(keys.live_secret, body, nodes[n % 2])),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body)
    const after = await countRows(harness().stores.db, org_id)
    expect(after).toEqual({
      ...empty,
      check_event_ids: 1,
      checks: 1,
      events: 1,
      usage_events: 1,
      velocity: after['velocity'],
    })
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(-1)
  })

  it('one of two different payloads is accepted and the other is refused', async () => {
    const { keys } = await harness().createTenant()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        check(keys.live_secret, { email: `jane${n % 2}@gmail.com`, event_id: 'two' }),
      ),
    )
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 400)
    expect([accepted.length, refused.length]).toEqual([10, 10])
    expect(new Set(accepted.map(({ body }) => body.content.check_id)).size).toBe(1)
    for (const { body } of refused) expect(body.content).toEqual({ field: 'event_id' })
  })
})

describe('OP-8 when credits are required', () => {
  const strict = useHarness({ settings: { VIGIL_CREDITS_REQUIRED: 'true' } })

  it('a retry of a paid check is answered after the balance is used up', async () => {
    const { keys, org_id } = await strict().createTenant()
    await strict().services.billing.grantCredits(org_id, 1, 'start', 'start')
    const body = { email: newEmail(), event_id: 'paid' }
    const first = await check(keys.live_secret, body, strict())
    expect(first.status).toBe(200)
    expect((await check(keys.live_secret, { email: newEmail() }, strict())).status).toBe(403)
    expect((await check(keys.live_secret, body, strict())).body).toEqual(first.body)
    expect((await check(keys.test_secret, { email: newEmail() }, strict())).status).toBe(200)
  })
})

describe('OP-8 after the retention', () => {
  it('the event_id of a deleted check can be used again', async () => {
    const { db } = harness().stores
    const { keys, org_id } = await harness().createTenant()
    const body = { email: newEmail(), event_id: 'old' }
    const first = await check(keys.live_secret, body)
    // Only rows of this organization are backdated.
    const old = lowestIdAt(Date.UTC(2001, 0))
    await sql`update check_event_ids set check_id = ${old} where org_id = ${org_id}`.execute(db)
    await sql`update checks set id = ${old}, created_at = '2001-01-01' where org_id = ${org_id}`.execute(
      db,
    )
    while (await expireChecks(db, new Date('2002-01-01')));
    const again = await check(keys.live_secret, body)
    expect(again.status).toBe(200)
    expect(again.body.content.check_id).not.toBe(first.body.content.check_id)
  })
})
