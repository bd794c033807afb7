/** The shared reputation through the real application: what one owner can say, and who is heard. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { ownDatabase } from '../database.ts'
import { type Harness, type Tenant, useHarness } from '../harness.ts'
import { newOrder, settableClock } from '../support/orders.ts'
import { newPhone } from '../support/samples.ts'
import { confirmFraud, createVoice } from '../support/voices.ts'

/** Everyone may speak from the first moment on, so that only independence protects. */
const OPEN = { VIGIL_REPUTATION_AGE_DAYS: '0', VIGIL_REPUTATION_REQUESTS: '0' }

const open = useHarness({ settings: { ...OPEN, VIGIL_ORGANIZATIONS_PER_OWNER: '4' } })
const strict = useHarness()

type Target = { phone: string; external_id: string; fingerprint_hash: string; ip_hash: string }

const newTarget = (): Target => ({
  phone: newPhone(),
  external_id: `${randomUUID()}@gmail.example`,
  fingerprint_hash: randomUUID(),
  ip_hash: randomUUID(),
})

/** Reports and decides everything that an organization can say about a person. */
async function accuse(on: Harness, by: Tenant, { phone, ...person }: Target): Promise<void> {
  const key = by.keys.live_secret
  await on.post('/v1/check/phone/report', { phone, outcome: 'fraud' }, { key })
  await confirmFraud(on, by, person)
}

/** Returns what a new organization sees: the score of the phone, and each pattern strength. */
async function seenBy(on: Harness, { keys }: Tenant, { phone, ...person }: Target) {
  const key = keys.live_secret
  const check = await on.post('/v1/check', { phone }, { key })
  const strengths: number[] = []
  for (const [name, value] of Object.entries(person)) {
    type Scored = { risk: { signals: { pattern: number } } }
    const order = await on.post<Scored>('/v1/orders', newOrder({ [name]: value }), { key })
    strengths.push(order.body.content.risk.signals.pattern)
  }
  return { phone: check.body.content.risk_score, patterns: strengths }
}

const UNTOUCHED = { phone: 0, patterns: [0, 0, 0] }

/** Creates an organization the way an owner does, with a live key. */
async function createFurther(on: Harness, token: string): Promise<Tenant | undefined> {
  const created = await on.post<{ id: string }>(
    '/console/api/organizations',
    { name: 'Further' },
    { token },
  )
  if (created.status !== 200) return undefined
  const { id: org_id } = created.body.content
  const body = { org_id, type: 'live_secret' }
  const { body: made } = await on.post<{ key: string }>('/console/api/keys', body, { token })
  const live_secret = made.content.key
  return { org_id, keys: { live_secret, test_secret: '', live_public: '', test_public: '' } }
}

describe('the organizations of one owner', () => {
  it('do not affect a score of anyone else, however many agree', async () => {
    const first = await open().createTenant()
    const token = await open().signIn(first.org_id)
    const target = newTarget()
    const further: Tenant[] = []
    for (let n = 0; n < 3; n += 1) {
      const one = await createFurther(open(), token)
      if (one) further.push(one)
    }
    expect(further).toHaveLength(3)
    for (const one of [first, ...further]) await accuse(open(), one, target)
    await open().services.reputation_operator.refresh()
    const stranger = await open().createTenant()
    expect(await seenBy(open(), stranger, target)).toEqual(UNTOUCHED)
  })

  it('are one voice among those that are needed', async () => {
    const target = newTarget()
    const seen: unknown[] = []
    for (let n = 0; n < 3; n += 1) {
      await accuse(open(), await open().createTenant(), target)
      await open().services.reputation_operator.refresh()
      seen.push(await seenBy(open(), await open().createTenant(), target))
    }
    const [one, two, three] = seen
    expect(one).toEqual(UNTOUCHED)
    expect(two).toMatchObject({ patterns: [60, 60, 60] })
    expect(three).toMatchObject({ patterns: [80, 80, 60] })
  })

  it('are limited in number', async () => {
    const { org_id } = await open().createTenant()
    const token = await open().signIn(org_id)
    const co_owner = await open().signIn(org_id)
    const made = [token, co_owner, token, co_owner].map((one) => createFurther(open(), one))
    expect((await Promise.all(made)).filter((one) => one !== undefined)).toHaveLength(3)
    const refused = await open().post('/console/api/organizations', { name: 'X' }, { token })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('maximum number of organizations')
  })
})

describe('organizations that are new', () => {
  it('do not affect a score of anyone else, even if independent', async () => {
    const target = newTarget()
    for (let n = 0; n < 4; n += 1) await accuse(strict(), await strict().createTenant(), target)
    await strict().services.reputation_operator.refresh()
    const stranger = await strict().createTenant()
    expect(await seenBy(strict(), stranger, target)).toEqual(UNTOUCHED)
  })

  it('do when the operator trusts them, until the operator does not', async () => {
    const target = newTarget()
    const voices = [await createVoice(strict()), await createVoice(strict())]
    for (const one of voices) await accuse(strict(), one, target)
    const stranger = await strict().createTenant()
    const seen = await seenBy(strict(), stranger, target)
    expect(seen.patterns).toEqual([60, 60, 60])
    expect(seen.phone).toBeGreaterThanOrEqual(50)
    await strict().services.reputation_operator.setTrust(voices[0]?.org_id ?? '', false)
    expect(await seenBy(strict(), stranger, target)).toEqual(UNTOUCHED)
  })
})

describe('a fraud that was not flagged', () => {
  it('is not yet an agreement for others, but counts fully for the organization', async () => {
    const fingerprint_hash = randomUUID()
    const voices = [await createVoice(strict()), await createVoice(strict())]
    for (const { keys, org_id } of voices) {
      const { body } = await strict().post<{ order: { id: string } }>(
        '/v1/orders',
        newOrder({ fingerprint_hash }),
        { key: keys.live_secret },
      )
      const decision = { decision: 'confirmed_fraud', by: 'test' } as const
      const scope = { org_id, mode: 'live' as const }
      await strict().services.reviews.decide(body.content.order.id, scope, decision)
    }
    const target = { ...newTarget(), fingerprint_hash }
    expect(await seenBy(strict(), await strict().createTenant(), target)).toEqual(UNTOUCHED)
    const [own] = voices
    if (own) expect((await seenBy(strict(), own, target)).patterns[1]).toBe(90)
  })
})

describe('an established organization', () => {
  const clock = settableClock(new Date('2026-03-02T12:00:00Z'))
  const harness = useHarness({
    clock,
    db: ownDatabase(),
    settings: { VIGIL_REPUTATION_REQUESTS: '5' },
  })

  it('counts for others by its age and its requests in the same mode', async () => {
    const { services, createTenant } = harness()
    const { reputation_operator, volumes } = services
    const tenants = [await createTenant(), await createTenant()]
    const target = newTarget()
    for (const one of tenants) await accuse(harness(), one, target)
    const stranger = await createTenant()
    const patternsAfter = async (days: number) => {
      clock.advance(days * DAY_MS)
      await volumes.fold(clock.now())
      await reputation_operator.refresh()
      return (await seenBy(harness(), stranger, target)).patterns
    }
    expect(await patternsAfter(13)).toEqual([0, 0, 0])
    expect(await patternsAfter(2)).toEqual([0, 0, 0])
    for (const { keys } of tenants) {
      for (let n = 0; n < 5; n += 1) {
        const { status } = await harness().post(
          '/v1/check',
          { phone: newPhone() },
          {
            key: keys.test_secret,
          },
        )
        expect(status).toBe(200)
      }
    }
    expect(await patternsAfter(1)).toEqual([0, 0, 0])
    for (const { keys } of tenants) {
      for (let n = 0; n < 3; n += 1) {
        await harness().post('/v1/orders', newOrder(), { key: keys.live_secret })
      }
    }
    expect(await patternsAfter(1)).toEqual([60, 60, 60])
  })
})
