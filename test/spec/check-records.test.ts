/** A check writes its record, its price and its event together, or nothing. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Harness, type Tenant, useHarness } from '../harness.ts'
import { NOT_FOUND } from '../support/answers.ts'
import { countRows, eventsOf, usageOf } from '../support/books.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness()

const UNITS_PER_CREDIT = 10_000

const check = async (key: string, body: unknown, on: Harness = harness()) =>
  await on.call({ method: 'POST', path: '/v1/check', key, body })
const read = async (key: string, id: string) =>
  await harness().call({ method: 'GET', path: `/v1/check/${id}`, key })

describe('GET /check/{id}', () => {
  it('returns the result of POST /check', async () => {
    const { keys } = await harness().createTenant()
    const body = {
      email: 'jane@mailinator.com',
      phone: newPhone(),
      device: { a: 1 },
      event_id: 'x',
    }
    for (const key of [keys.live_secret, keys.test_secret]) {
      const checked = await check(key, body)
      const again = await read(key, checked.body.content.check_id)
      expect(again.status).toBe(200)
      expect(again.body).toEqual(checked.body)
    }
  })

  it('is a 404 for checks of other organizations and of the other mode', async () => {
    const [one, two] = [await harness().createTenant(), await harness().createTenant()]
    const { body } = await check(one.keys.live_secret, { email: newEmail() })
    for (const key of [two.keys.live_secret, one.keys.test_secret, two.keys.test_secret]) {
      const answer = await read(key, body.content.check_id)
      expect({ status: answer.status, body: answer.body }).toEqual(NOT_FOUND)
    }
  })

  it.each([
    '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
    'nonsense',
    '%00',
    '%F0%9F%98%80',
    '%ED%A0%80',
    "1'%20or%20'1'='1",
    '0',
    '-1',
    '%2e%2e',
    '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07%20',
  ])('OP-38: is a 404 for an unknown identifier: %s', async (id) => {
    const { keys } = await harness().createTenant()
    const { status, body } = await read(keys.live_secret, id)
    expect({ status, body }).toEqual(NOT_FOUND)
  })

  it.each([512, 513, 4000])(
    'OP-38: is a 404 for an identifier of %i characters',
    async (length) => {
      const { keys } = await harness().createTenant()
      const { status, body } = await read(keys.live_secret, 'a'.repeat(length))
      expect({ status, body }).toEqual(NOT_FOUND)
    },
  )
})

describe('the price', () => {
  it('OP-5: is one credit, recorded with its check', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { body } = await check(keys.live_secret, { email: newEmail() })
    expect(body.content.credits_used).toBe(1)
    expect(await usageOf(harness().stores.db, org_id)).toEqual([
      {
        meter: 'check',
        quantity: '1',
        cost_units: String(UNITS_PER_CREDIT),
        source_id: body.content.check_id,
        mode: 'live',
      },
    ])
  })

  it('is 0 with a test key, and the usage is recorded nevertheless', async () => {
    const { keys, org_id } = await harness().createTenant()
    for (const email of [newEmail(), 'clean@example.com']) {
      const { body } = await check(keys.test_secret, { email })
      expect(body.content).toMatchObject({ credits_used: 0, is_sandbox: true })
    }
    const usage = await usageOf(harness().stores.db, org_id)
    expect(usage).toHaveLength(2)
    for (const row of usage)
      expect(row).toMatchObject({ mode: 'test', cost_units: '0', quantity: '1' })
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(0)
  })

  it('is recorded in one transaction with the check and its event', async () => {
    const { keys, org_id } = await harness().createTenant()
    await check(keys.live_secret, { email: newEmail() })
    const { rows } = await sql<{ transaction: string }>`
      select xmin::text as transaction from checks where org_id = ${org_id}
      union select xmin::text from usage_events where org_id = ${org_id}
      union select xmin::text from events where org_id = ${org_id}`.execute(harness().stores.db)
    expect(rows).toHaveLength(1)
  })

  it('OP-20: can make the balance negative without a refusal', async () => {
    const { keys, org_id } = await harness().createTenant()
    for (let n = 0; n < 3; n += 1) {
      expect((await check(keys.live_secret, { email: newEmail() })).status).toBe(200)
    }
    const { billing } = harness().services
    await billing.postUsage(new Date())
    expect(await billing.funds(org_id)).toEqual({
      balance_credits: -3,
      unposted_usage_credits: 0,
      available_credits: -3,
    })
  })
})

describe('with other settings', () => {
  const strict = useHarness({
    settings: { VIGIL_CHECK_CREDITS: '3', VIGIL_CREDITS_REQUIRED: 'true' },
  })

  it('OP-5: a check costs the configured price', async () => {
    const { keys, org_id } = await strict().createTenant()
    await strict().services.billing.grantCredits(org_id, 10, 'test', 'grant')
    const { body } = await check(keys.live_secret, { email: newEmail() }, strict())
    expect(body.content.credits_used).toBe(3)
    const [usage] = await usageOf(strict().stores.db, org_id)
    expect(usage?.cost_units).toBe(String(3 * UNITS_PER_CREDIT))
  })

  it('OP-20: a live check without credits is a 403 and writes nothing; test keys still work', async () => {
    const { keys, org_id } = await strict().createTenant()
    const before = await countRows(strict().stores.db, org_id)
    const refused = await check(keys.live_secret, { email: newEmail() }, strict())
    expect(refused.status).toBe(403)
    expect(refused.body.success).toBe(false)
    expect(await countRows(strict().stores.db, org_id)).toEqual(before)
    expect((await check(keys.test_secret, { email: newEmail() }, strict())).status).toBe(200)
  })
})

describe('the events', () => {
  const events = async ({ org_id }: Tenant) => await eventsOf(harness().stores.db, org_id)

  it.each(['live', 'test'] as const)(
    'OP-22, OP-23, OP-24: a check with an e-mail emits email.check.completed, %s',
    async (mode) => {
      const tenant = await harness().createTenant()
      const sent = { email: 'jane@mailinator.com', phone: newPhone(), metadata: { secret: 'mine' } }
      const { body } = await check(tenant.keys[`${mode}_secret`], sent)
      const emitted = await events(tenant)
      expect(emitted).toHaveLength(1)
      const [event] = emitted
      expect(event).toMatchObject({ type: 'email.check.completed', mode })
      expect(Object.keys(JSON.parse(event?.body ?? '') as object)).toEqual([
        'id',
        'type',
        'timestamp',
        'data',
      ])
      expect(JSON.parse(event?.body ?? '')).toEqual({
        id: event?.id,
        type: 'email.check.completed',
        timestamp: event?.occurred_at.toISOString(),
        data: body.content,
      })
    },
  )

  it('OP-22: a check without an e-mail emits nothing', async () => {
    const tenant = await harness().createTenant()
    await check(tenant.keys.live_secret, { phone: newPhone() })
    await check(tenant.keys.live_secret, { device: {} })
    expect(await events(tenant)).toEqual([])
  })

  it('OP-22: a check that fails emits email.check.failed, and neither is stored nor charged', async () => {
    const tenant = await harness().createTenant()
    const { db } = harness().stores
    const before = await countRows(db, tenant.org_id)
    const email = 'server-error@example.com'
    const { status, body } = await check(tenant.keys.test_secret, { email })
    expect(status).toBe(500)
    expect(body).toEqual({ success: false, message: 'Internal server error' })
    const [event, ...others] = await events(tenant)
    expect(others).toEqual([])
    expect(JSON.parse(event?.body ?? '')).toEqual({
      id: event?.id,
      type: 'email.check.failed',
      timestamp: event?.occurred_at.toISOString(),
      data: { check_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, email },
    })
    expect(await countRows(db, tenant.org_id)).toEqual({ ...before, events: 1 })
  })

  it('a request that is refused emits nothing', async () => {
    const tenant = await harness().createTenant()
    await check(tenant.keys.live_secret, { email: newEmail(), ip_address: '203.0.113.7' })
    await check(tenant.keys.live_secret, { email: 5 })
    await check(tenant.keys.test_secret, { email: 'rate-limited@example.com' })
    expect(await events(tenant)).toEqual([])
  })
})
