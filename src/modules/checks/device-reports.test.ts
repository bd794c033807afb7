import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../test/harness.ts'
import { reportsOf } from './device-reports.ts'
import { explainCheck } from './reading/explain.ts'
import { conclude } from './result.ts'

// Every organization may speak immediately, because age and use are tested where they are decided.
const harness = useHarness({
  settings: { VIGIL_REPUTATION_AGE_DAYS: '0', VIGIL_REPUTATION_REQUESTS: '0' },
})

const namesOf = (device: Record<string, unknown>) =>
  reportsOf(device, 0).map(({ finding }) => finding)

it('reads what a device reports about itself, under the names that SDKs use', () => {
  expect(namesOf({ is_emulator: true, isRooted: 'true', webdriver: 1 })).toEqual([
    'reports_emulator',
    'reports_rooted',
    'reports_automation',
  ])
  expect(namesOf({ is_emulator: false, rooted: 'no', bot: 0, model: 'bot' })).toEqual([])
  expect(namesOf({ jailbroken: true })).toEqual(['reports_rooted'])
  expect(reportsOf(undefined, 1)).toEqual([])
})

it('explains with it and adds nothing to the score', () => {
  const { result, explanation } = conclude(
    { check_id: 'c', email: undefined, credits_used: 1, is_sandbox: false },
    {
      email_signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0 },
      phone_signals: undefined,
      evidence: reportsOf({ is_emulator: true }, 0),
      hard_floor: 0,
    },
    [],
    0,
  )
  expect(result.risk_score).toBe(0)
  const { silent } = explainCheck(result.risk_score, explanation, undefined)
  expect(silent).toEqual([
    {
      signal: 'device',
      finding: 'reports_emulator',
      detail: 'The device reports that it is an emulator.',
    },
  ])
})

describe('what a device reports, by the decisions of organizations', () => {
  const tenants = async (count: number) => {
    const created: Tenant[] = []
    for (let n = 0; n < count; n += 1) created.push(await harness().createTenant())
    await harness().parts.fraud.reputation_operator.refresh()
    return created
  }

  /** Decides about two orders, because one that was not flagged is no agreement yet. */
  async function decide(
    { keys }: Tenant,
    fingerprint_hash: string,
    decision: 'confirmed_fraud' | 'legitimate' = 'confirmed_fraud',
    orders = 2,
  ): Promise<void> {
    for (let n = 0; n < orders; n += 1) {
      const { body } = await harness().post<{ order: { id: string } }>(
        '/v1/orders',
        { external_order_id: randomUUID(), amount_cents: 2000, fingerprint_hash },
        { key: keys.live_secret },
      )
      const { id } = body.content.order
      await harness().services.reviews.decide(id, {}, { decision, by: 'cli' })
    }
    await harness().applyChanges()
  }

  const scoreOf = async ({ keys }: Tenant, device: object, key = keys.live_secret) =>
    (await harness().post('/v1/check', { device }, { key })).body.content.risk_score

  it('counts once several have confirmed fraud with it, and explains why', async () => {
    const [first, second, asking, other] = (await tenants(4)) as [Tenant, Tenant, Tenant, Tenant]
    const fingerprint_hash = randomUUID()
    const device = { fingerprint_hash, is_emulator: true }
    await decide(first, fingerprint_hash)
    expect(await scoreOf(asking, device)).toBe(0)
    await decide(second, fingerprint_hash)
    expect(await scoreOf(asking, device)).toBe(56)
    // Neither the decisions alone nor the report alone, nor a key of the other mode.
    expect(await scoreOf(other, { fingerprint_hash })).toBe(0)
    expect(await scoreOf(asking, { is_emulator: true })).toBe(0)
    expect(await scoreOf(asking, { ...device, fingerprint_hash: randomUUID() })).toBe(0)
    expect(await scoreOf(asking, device, asking.keys.test_secret)).toBe(0)
  })

  it('does not count by one organization, however often it decides, or by several of one owner', async () => {
    const [first, second, asking] = (await tenants(3)) as [Tenant, Tenant, Tenant]
    const fingerprint_hash = randomUUID()
    await decide(first, fingerprint_hash, 'confirmed_fraud', 9)
    expect(await scoreOf(asking, { fingerprint_hash, webdriver: true })).toBe(0)
    const { user_id } = await harness()
      .core.directory.selectFrom('memberships')
      .select('user_id')
      .where('org_id', '=', await owned(first))
      .executeTakeFirstOrThrow()
    await harness().services.accounts.setMember(second.org_id, user_id, 'owner')
    await harness().parts.fraud.reputation_operator.refresh()
    await decide(second, fingerprint_hash)
    expect(await scoreOf(asking, { fingerprint_hash, webdriver: true })).toBe(0)
  })

  it('does not count against what the own organization knows as good', async () => {
    const [first, second, asking] = (await tenants(3)) as [Tenant, Tenant, Tenant]
    const fingerprint_hash = randomUUID()
    for (const one of [first, second]) await decide(one, fingerprint_hash)
    const device = { fingerprint_hash, rooted: true }
    expect(await scoreOf(asking, device)).toBe(56)
    await decide(asking, fingerprint_hash, 'legitimate')
    expect(await scoreOf(asking, device)).toBe(0)
  })

  it('reveals no organization, only that several agree', async () => {
    const [first, second, asking] = (await tenants(3)) as [Tenant, Tenant, Tenant]
    const fingerprint_hash = randomUUID()
    for (const one of [first, second]) await decide(one, fingerprint_hash)
    const checked = await harness().post(
      '/v1/check',
      { device: { fingerprint_hash, jailbroken: true } },
      { key: asking.keys.live_secret },
    )
    const { org_id } = asking
    const token = await harness().signIn(org_id, 'member')
    const details = await harness().get(
      `/console/api/checks/${checked.body.content.check_id}?org_id=${org_id}&mode=live`,
      { token },
    )
    const text = JSON.stringify(details.body)
    expect(text).toContain('rooted or jailbroken, and several organizations have confirmed fraud')
    for (const other of [first, second]) expect(text).not.toContain(other.org_id)
  })

  async function owned({ org_id }: Tenant): Promise<string> {
    await harness().signIn(org_id, 'owner')
    return org_id
  }
})
