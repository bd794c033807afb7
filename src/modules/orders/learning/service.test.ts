import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { FRAUDS, ORDERS, storeDecidedOrders } from '../../../../test/support/decided-orders.ts'
import type { Owner } from '../../../platform/owner.ts'

const harness = useHarness()

async function createShop(labels?: 'right' | 'wrong') {
  const { org_id } = await harness().createTenant()
  const owner: Owner = { org_id, mode: 'live' }
  await storeDecidedOrders(harness().stores.db, owner, labels)
  const { rules_learner, order_rules } = harness().services
  return { owner, org_id, rules_learner, order_rules }
}

const BY = { base_version: 0, note: null, by: 'cli' }

describe('learning from decisions', () => {
  it('proposes weights, which are applied and rolled back like any version', async () => {
    const { owner, rules_learner, order_rules } = await createShop()
    expect(await rules_learner.show(owner)).toMatchObject({ outcome: 'none', weights: [] })
    expect(await rules_learner.apply(owner, BY)).toBeUndefined()
    const learned = await rules_learner.learn(owner)
    expect(learned).toMatchObject({
      outcome: 'better',
      frauds: FRAUDS,
      frauds_min: 160,
      automatic: false,
      is_active: false,
      version: 0,
    })
    // Nearly all others are sampled; those before the first fraud are not.
    expect(learned.legitimate).toBeGreaterThan(0.97 * (ORDERS - FRAUDS))
    expect(learned.legitimate).toBeLessThan(1.03 * (ORDERS - FRAUDS))
    const location = learned.weights.find(({ signal }) => signal === 'location_anomaly')
    expect(location?.learned).toBeLessThan(location?.shipped ?? 0)
    expect(learned.trial?.learned.legitimate).toBeLessThan(learned.trial?.active.legitimate ?? 0)

    expect(await rules_learner.apply(owner, BY)).toMatchObject({ version: 1 })
    expect(await rules_learner.show(owner)).toMatchObject({ is_active: true, version: 1 })
    const [version] = await order_rules.listVersions(owner, { limit: 1 })
    expect(version).toMatchObject({ version: 1, note: 'Learned from 165 confirmed frauds' })
    const { parameters } = await order_rules.active(owner)
    expect(parameters.weights.location_anomaly).toBe(location?.learned)
    await order_rules.rollBack(owner, 0, { ...BY, base_version: 1 })
    expect(await rules_learner.show(owner)).toMatchObject({ is_active: false, version: 2 })
  })

  it('states how often orders with a score were fraud', async () => {
    const { owner, rules_learner } = await createShop()
    expect(await rules_learner.calibration(owner, 64)).toBeUndefined()
    await rules_learner.learn(owner)
    const high = await rules_learner.calibration(owner, 64)
    const low = await rules_learner.calibration(owner, 0)
    expect(low?.fraud_share).toBeLessThan(0.1)
    expect(high?.fraud_share).toBeGreaterThan(low?.fraud_share ?? 1)
  })

  it('runs once a day and applies better weights where the organization wants that', async () => {
    const { owner, rules_learner, order_rules } = await createShop()
    const manual = await createShop()
    await rules_learner.setAutomatic(owner, true, 'cli')
    const run = async () => await rules_learner.run(new AbortController().signal)
    await run()
    const versions = await order_rules.listVersions(owner, { limit: 9 })
    expect(versions.map(({ applied_by }) => applied_by)).toEqual(['learning'])
    expect((await manual.rules_learner.show(manual.owner)).outcome).toBe('better')
    expect(await manual.order_rules.listVersions(manual.owner, { limit: 9 })).toEqual([])
    const { learned_at } = await rules_learner.show(owner)
    await run()
    expect((await rules_learner.show(owner)).learned_at).toBe(learned_at)
  })

  it('of wrong labels harms no other organization, and is refused', async () => {
    const wrong = await createShop('wrong')
    const right = await createShop()
    expect(await wrong.rules_learner.learn(wrong.owner)).toMatchObject({
      outcome: 'contradiction',
      weights: [],
    })
    expect(await right.rules_learner.learn(right.owner)).toMatchObject({ outcome: 'better' })
  })

  it('is shown to members and changed by admins', async () => {
    const { org_id } = await harness().createTenant()
    const path = '/console/api/rules/learned'
    const [admin, member] = [
      await harness().signIn(org_id, 'admin'),
      await harness().signIn(org_id, 'member'),
    ]
    const set = async (token: string) =>
      await harness().call<{ automatic: boolean }>({
        method: 'POST',
        path: `${path}/automatic`,
        token,
        body: { org_id, automatic: true },
      })
    expect((await set(member)).status).toBe(403)
    expect((await set(admin)).body.content.automatic).toBe(true)
    const shown = await harness().call<{ automatic: boolean }>({
      method: 'GET',
      path: `${path}?org_id=${org_id}`,
      token: member,
    })
    expect(shown).toMatchObject({ status: 200, body: { content: { automatic: true } } })
    const entries = await harness()
      .stores.db.selectFrom('audit_log')
      .select('details')
      .where('org_id', '=', org_id)
      .where('action', '=', 'rules.learning_changed')
      .execute()
    expect(entries).toEqual([{ details: { mode: 'live', automatic: true } }])
  })
})
