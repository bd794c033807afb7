/** Custom rules for checks and cashier actions, from a draft to their scores. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { ExplainedCashierAction } from '../../cashier/reading/schema.ts'
import type { RecordedAction } from '../../cashier/schema.ts'
import type { CheckDetails } from '../../checks/reading/schema.ts'
import type { CheckResult } from '../../checks/schema.ts'
import { readCustomRules } from '../../custom-rules/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../scoring/parameters.ts'

const harness = useHarness()
let owner: Owner
let token: string
let key: string
let version: number

beforeEach(async () => {
  const { org_id, keys } = await harness().createTenant()
  owner = { org_id, mode: 'live' }
  token = await harness().signIn(org_id, 'admin')
  key = keys.live_secret
  version = 0
})

async function apply(...rules: object[]): Promise<void> {
  const by = { base_version: version, note: null, by: 'cli' }
  const custom_rules = readCustomRules(rules)
  const { order_rules } = harness().services
  const result = await order_rules.apply(owner, DEFAULT_ORDER_PARAMETERS, { ...by, custom_rules })
  if ('refused' in result) throw new Error(result.refused)
  version = result.version
}

const check = async (body: object = {}, by = key) =>
  (
    await harness().post<CheckResult>(
      '/v1/check',
      { phone: '+12025550143', event_type: 'signup', ...body },
      { key: by },
    )
  ).body.content
const act = async (body: object = {}) =>
  (
    await harness().post<RecordedAction>(
      '/v1/cashier/actions',
      { cashier_external_id: 'ann', action_type: 'no_sale', ...body },
      { key },
    )
  ).body.content
const explained = async <Content>(path: string) =>
  (await harness().get<Content>(`/console/api/${path}?org_id=${owner.org_id}`, { token })).body
    .content
const alertsOf = async () =>
  (
    await sql<{ title: string; link: string }>`
      select title, link from notifications where org_id = ${owner.org_id} order by id`.execute(
      harness().stores.db,
    )
  ).rows

const SIGN_UPS = {
  name: 'Sign-ups',
  applies_to: 'check',
  state: 'on',
  when: 'check.event_type == "signup" && phone.last_hour > 1.5',
  effect: 'points',
  value: 60,
}
const OPENINGS = {
  name: 'Openings',
  applies_to: 'cashier_action',
  state: 'on',
  when: 'action.type == "no_sale" && cashier.actions_shift > 1.5',
  effect: 'review',
}

describe('a custom rule for checks', () => {
  it('changes the score through a signal, and is named by the explanation', async () => {
    await apply(SIGN_UPS)
    const first = await check()
    const second = await check()
    expect(second.risk_score - first.risk_score).toBe(60)
    expect(second.signals.velocity_score).toBeGreaterThan(first.signals.velocity_score)
    const { explanation } = await explained<CheckDetails>(`checks/${second.check_id}`)
    expect(explanation.adjustments).toMatchObject([
      { by: 'rule', rule: 'Sign-ups', score_after: second.risk_score },
    ])
    expect(explanation.adjustments[0]?.sentence).toContain('The rule “Sign-ups” matches. Score')
  })

  it('only records what it would have done while it is in shadow', async () => {
    await check()
    await apply({ ...SIGN_UPS, state: 'shadow' })
    const { check_id, risk_score } = await check()
    const { explanation } = await explained<CheckDetails>(`checks/${check_id}`)
    expect(explanation).toMatchObject({ risk_score, adjustments: [] })
    expect(explanation.shadows).toMatchObject([{ rule: 'Sign-ups', score_before: risk_score }])
  })

  it('leaves the documented outcomes of test mode alone', async () => {
    const { keys, org_id } = await harness().createTenant()
    owner = { org_id, mode: 'test' }
    await apply({ ...SIGN_UPS, when: 'true' })
    const body = { email: 'clean@example.com', phone: undefined }
    const free = await check(body, keys.test_secret)
    expect(free).toMatchObject({ is_sandbox: true, risk_level: 'low' })
  })

  it('yields to the lists', async () => {
    await apply({ ...SIGN_UPS, when: '"phone" in lists.allow' })
    const entry = { list: 'allow', kind: 'phone', value: '+12025550143' } as const
    await harness().services.lists.add(owner, entry, 'cli')
    expect(await check()).toMatchObject({ risk_level: 'low' })
  })

  it('notifies once a day for the same person, of live checks only', async () => {
    await apply({ ...SIGN_UPS, when: 'true', effect: 'alert' })
    const { check_id } = await check()
    await check()
    expect(await alertsOf()).toEqual([
      { title: 'A check matches the rule “Sign-ups”', link: `/checks/${check_id}` },
    ])
  })
})

describe('a custom rule for cashier actions', () => {
  it('sends an action to review by a flag, and is named by the explanation', async () => {
    await apply(OPENINGS)
    expect((await act()).fraud.flags).toEqual([])
    const { action, fraud } = await act()
    expect(fraud).toMatchObject({ risk_level: 'high', flags: ['drawer_anomaly'] })
    const details = await explained<ExplainedCashierAction>(`cashiers/actions/${action.id}`)
    expect(details.adjustments).toMatchObject([{ by: 'rule', rule: 'Openings' }])
    expect(details.review_id).not.toBeNull()
    const drawer = details.signals.find(({ signal }) => signal === 'drawer_anomaly')
    expect(drawer?.sentence).toBe('The rule “Openings” matches')
  })

  it('only records what it would have done while it is in shadow', async () => {
    await apply({ ...OPENINGS, when: 'true', state: 'shadow' })
    const { action, fraud } = await act()
    expect(fraud).toMatchObject({ risk_score: 0, flags: [] })
    const details = await explained<ExplainedCashierAction>(`cashiers/actions/${action.id}`)
    expect(details.shadows).toMatchObject([{ rule: 'Openings', score_after: 50 }])
    expect(details.review_id).toBeNull()
  })

  it('adds points to another signal, and notifies once a day for a cashier', async () => {
    const refund = { ...OPENINGS, when: 'order.is_named && !order.is_known' }
    await apply(
      { ...refund, effect: 'points', value: 20, signal: 'excessive_refunds' },
      { ...refund, name: 'Ring', effect: 'alert' },
    )
    const unknown = { action_type: 'refund', order_external_id: 'never-sent', amount_cents: 1234 }
    const { fraud } = await act(unknown)
    expect(fraud.signals.excessive_refunds).toBeGreaterThan(25)
    await act(unknown)
    await act({ ...unknown, cashier_external_id: 'ben' })
    expect((await alertsOf()).map(({ title }) => title)).toEqual([
      'A cashier action matches the rule “Ring”',
      'A cashier action matches the rule “Ring”',
    ])
  })
})

const order = async () =>
  (
    await harness().post<{ risk: { risk_score: number } }>(
      '/v1/orders',
      { external_order_id: 'one', external_id: 'ann', amount_cents: 4990 },
      { key },
    )
  ).body.content
const LARGE = {
  ...SIGN_UPS,
  name: 'Large',
  applies_to: 'order',
  when: 'order.amount_cents > 1',
  signal: 'pattern',
}

describe('a rule that takes too long', () => {
  it.each([
    ['check', SIGN_UPS, async () => (await check()).risk_score],
    ['order', LARGE, async () => (await order()).risk.risk_score],
    ['cashier action', OPENINGS, async () => (await act()).fraud.risk_score],
  ])('is switched off with a warning, while the %s is answered', async (_, slow, score) => {
    await apply(slow, { ...slow, name: 'Other' })
    const { order_rules } = harness().services
    const { custom, ...active } = await order_rules.active(owner)
    const exceeded = { ...active, custom: { ...custom, exceeded: () => [slow.name] } }
    const reading = vi.spyOn(order_rules, 'active').mockReturnValueOnce(exceeded)
    expect(await score()).toEqual(expect.any(Number))
    expect(reading).toHaveBeenCalled()
    reading.mockRestore()
    await vi.waitFor(async () => {
      const { custom_rules, applied } = await order_rules.show(owner)
      expect(custom_rules).toMatchObject([
        { state: 'off', warning: expect.stringContaining('took too long') as string },
        { state: 'on', warning: '' },
      ])
      expect(applied).toMatchObject({ applied_by: 'budget' })
    })
  })
})

describe('a replay', () => {
  const replay = async (...rules: object[]) =>
    await harness().services.orders.replay({
      owners: [owner],
      from: new Date(0),
      to: new Date('2100-01-01'),
      custom_rules: readCustomRules(rules),
    })

  it('scores checks again with their stored counts, as they were scored', async () => {
    await check()
    await check()
    await check({ event_type: 'login', event_id: 'login-1' })
    expect((await replay()).checks).toBeNull()
    const drafted = await replay(SIGN_UPS)
    expect(drafted.checks).toMatchObject({
      compared: 3,
      flagged_then: 0,
      flagged_now: 1,
      same_score: 2,
      amounts: [],
      newly_flagged_examples: [{ reason: 'The rule “Sign-ups” matches' }],
    })
    expect(drafted.cashier_actions).toBeNull()
    await apply({ ...SIGN_UPS, when: 'check.event_type == "login"' })
    await harness().services.lists.add(
      owner,
      { list: 'watch', kind: 'phone', value: '+12025550143' },
      'cli',
    )
    await check({ event_type: 'login', event_id: 'login-2' })
    // What rules and lists had changed is taken back first.
    const same = await replay({ ...SIGN_UPS, when: 'check.event_type == "login"' })
    expect(same.checks).toMatchObject({ compared: 4, flagged_then: 1, flagged_now: 2 })
    const without = await replay({ ...SIGN_UPS, state: 'off' })
    expect(without.checks).toMatchObject({ compared: 4, flagged_then: 1, flagged_now: 1 })
  })

  it('scores cashier actions again, with amounts and decisions', async () => {
    const refund = {
      action_type: 'refund',
      order_external_id: 'never-sent',
      amount_cents: -4321,
      cashier_external_id: 'ann',
    }
    await harness().post(
      '/v1/orders',
      {
        external_order_id: 'order-1',
        amount_cents: 4000,
        currency: 'EUR',
        cashier_external_id: 'ann',
      },
      { key },
    )
    await apply({ ...OPENINGS, when: 'action.type == "refund"', signal: 'excessive_refunds' })
    const { action } = await act(refund)
    await act({ ...refund, action_type: 'void', order_external_id: 'order-1' })
    const { content } = (
      await harness().get<{ reviews: { id: string; subject_id: string }[] }>(
        `/console/api/reviews?org_id=${owner.org_id}`,
        { token },
      )
    ).body
    const review = content.reviews.find(({ subject_id }) => subject_id === action.id)
    await harness().call({
      method: 'POST',
      path: `/console/api/reviews/${review?.id}/decision`,
      token,
      body: { org_id: owner.org_id, decision: 'confirmed_fraud' },
    })
    const drafted = await replay({ ...OPENINGS, when: 'action.type == "void"' })
    expect(drafted.cashier_actions).toMatchObject({
      compared: 2,
      flagged_then: 1,
      decisions: { confirmed_fraud: 1, frauds_flagged_then: 1 },
    })
    const [sums] = drafted.cashier_actions?.amounts ?? []
    expect(sums).toMatchObject({
      currency: 'EUR',
      flagged_then_cents: 4321,
      flagged_now_cents: 4321,
    })
    const same = await replay({
      ...OPENINGS,
      when: 'action.type == "refund"',
      signal: 'excessive_refunds',
    })
    expect(same.cashier_actions).toMatchObject({ same_score: 2, same_flag: 2 })
  })

  it('has the amounts of orders', async () => {
    const body = { amount_cents: 4000, currency: 'EUR' }
    await harness().post('/v1/orders', { ...body, external_order_id: 'a' }, { key })
    await harness().post('/v1/orders', { ...body, external_order_id: 'b' }, { key })
    const { amounts } = await replay({ ...SIGN_UPS, applies_to: 'order', when: 'true' })
    expect(amounts).toMatchObject([
      { currency: 'EUR', flagged_then_cents: 0, flagged_now_cents: 8000 },
    ])
  })

  it('reads only what belongs to the organization and the time', async () => {
    await check()
    const other = await harness().createTenant()
    await check({}, other.keys.live_secret)
    expect((await replay({ ...SIGN_UPS, when: 'true' })).checks).toMatchObject({ compared: 1 })
    const past = await harness().services.orders.replay({
      owners: [owner],
      from: new Date(0),
      to: new Date('2020-01-01'),
      custom_rules: readCustomRules([{ ...SIGN_UPS, when: 'true' }]),
    })
    expect(past.checks).toMatchObject({ compared: 0, flagged_now: 0 })
  })
})
