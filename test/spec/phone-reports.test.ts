/** Specification, "Phone outcome report": valid reports, and their effect on later checks. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'
import { countRows } from '../support/books.ts'
import { newPhone } from '../support/samples.ts'
import { createVoice } from '../support/voices.ts'

const harness = useHarness()

type Body = Record<string, unknown>

const report = async (key: string, body: Body) =>
  await harness().call({ method: 'POST', path: '/v1/check/phone/report', key, body })

async function riskOf(key: string, phone: string): Promise<number> {
  return (await harness().post('/v1/check', { phone }, { key })).body.content.risk_score
}

const OUTCOMES = ['fraud', 'sim_swap_fraud', 'account_takeover', 'spam', 'bot', 'legitimate']

describe('POST /check/phone/report', () => {
  it.each(OUTCOMES)(
    'OP-4: returns the accepted report with its confidence: %s',
    async (outcome) => {
      const { keys } = await harness().createTenant()
      const phone = newPhone()
      const short = await report(keys.live_secret, { phone, outcome })
      expect(short.status).toBe(200)
      expect(short.body.content).toEqual({ phone, outcome, confidence: 100 })
      const whole = {
        phone,
        outcome,
        check_id: 'c-1',
        confidence: 12.5,
        metadata: { a: [1, null] },
      }
      expect((await report(keys.live_secret, whole)).body.content).toEqual(whole)
    },
  )

  it.each([
    ['phone', undefined],
    ['phone', '015112345678'],
    ['outcome', undefined],
    ['outcome', 'Fraud'],
    ['outcome', 'stolen'],
    ['confidence', -1],
    ['confidence', 100.5],
    ['confidence', '50'],
    ['outcome', null],
    ['check_id', 5],
    ['check_id', ''],
    ['metadata', 'text'],
  ])('refuses an invalid %s, names it, and stores nothing: %j', async (field, value) => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const body = { phone: newPhone(), outcome: 'fraud', [field]: value }
    const answer = await report(keys.live_secret, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_request', content: { field } })
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })

  it('is free', async () => {
    const { keys, org_id } = await harness().createTenant()
    await report(keys.live_secret, { phone: newPhone(), outcome: 'fraud' })
    expect((await countRows(harness().stores.db, org_id))['usage_events']).toBe(0)
  })
})

describe('a report', () => {
  it('of fraud counts for the organization that made it', async () => {
    const { keys } = await harness().createTenant()
    const phone = newPhone()
    expect(await riskOf(keys.live_secret, phone)).toBe(0)
    await report(keys.live_secret, { phone, outcome: 'fraud' })
    expect(await riskOf(keys.live_secret, phone)).toBeGreaterThanOrEqual(70)
  })

  it('counts by its confidence', async () => {
    const { keys } = await harness().createTenant()
    const risks: number[] = []
    for (const confidence of [0, 25, 50, 100]) {
      const phone = newPhone()
      await report(keys.live_secret, { phone, outcome: 'fraud', confidence })
      risks.push(await riskOf(keys.live_secret, phone))
    }
    expect(risks[0]).toBe(0)
    expect(new Set(risks).size).toBe(4)
    expect(risks).toEqual(risks.toSorted((a, b) => a - b))
  })

  it('of a legitimate use cancels a report of fraud', async () => {
    const { keys } = await harness().createTenant()
    const phone = newPhone()
    await report(keys.live_secret, { phone, outcome: 'fraud' })
    await report(keys.live_secret, { phone, outcome: 'legitimate' })
    expect(await riskOf(keys.live_secret, phone)).toBe(0)
  })

  it('of the same check and outcome counts once, however often it is sent', async () => {
    const { keys, org_id } = await harness().createTenant()
    const phone = newPhone()
    const body = { phone, outcome: 'spam', check_id: 'check-1' }
    await report(keys.live_secret, body)
    const once = await riskOf(keys.live_secret, phone)
    const again = await report(keys.live_secret, body)
    expect(again.status).toBe(200)
    expect(await riskOf(keys.live_secret, phone)).toBe(once)
    expect((await countRows(harness().stores.db, org_id))['phone_reports']).toBe(1)
    await report(keys.live_secret, { ...body, check_id: 'check-2' })
    expect(await riskOf(keys.live_secret, phone)).toBeGreaterThan(once)
  })

  it('with a test key counts for test keys only', async () => {
    const { keys } = await harness().createTenant()
    const phone = newPhone()
    await report(keys.test_secret, { phone, outcome: 'fraud' })
    expect(await riskOf(keys.live_secret, phone)).toBe(0)
    expect(await riskOf(keys.test_secret, phone)).toBeGreaterThanOrEqual(70)
  })
})

describe('the reports of other organizations', () => {
  const tenants = async (count: number) =>
    await Promise.all(Array.from({ length: count }, () => createVoice(harness())))

  it('count more when more organizations agree', async () => {
    const [asking, ...others] = await tenants(4)
    const phone = newPhone()
    const risks: number[] = []
    for (const { keys } of others) {
      await report(keys.live_secret, { phone, outcome: 'fraud' })
      risks.push(await riskOf(asking?.keys.live_secret ?? '', phone))
    }
    expect(risks[0]).toBe(0)
    expect(risks[1]).toBeGreaterThanOrEqual(50)
    expect(risks[2]).toBeGreaterThanOrEqual(70)
  })

  it('do not count for an organization that reported the number as legitimate', async () => {
    const [asking, ...others] = await tenants(3)
    const phone = newPhone()
    await report(asking?.keys.live_secret ?? '', { phone, outcome: 'legitimate' })
    for (const { keys } of others) await report(keys.live_secret, { phone, outcome: 'fraud' })
    expect(await riskOf(asking?.keys.live_secret ?? '', phone)).toBe(0)
  })

  it('of a single organization never affect the score of another', async () => {
    const [spiteful, asking] = await tenants(2)
    const reports = fc.array(
      fc.record({
        outcome: fc.constantFrom(...OUTCOMES),
        confidence: fc.integer({ min: 0, max: 100 }),
        check_id: fc.uuid(),
      }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(reports, async (bodies) => {
        const phone = newPhone()
        for (const body of bodies)
          await report(spiteful?.keys.live_secret ?? '', { phone, ...body })
        expect(await riskOf(asking?.keys.live_secret ?? '', phone)).toBe(0)
      }),
      { numRuns: 20 },
    )
  })
})
