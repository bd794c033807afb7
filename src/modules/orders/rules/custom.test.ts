/** Custom rules of an organization, from a draft in the console to the scores of its orders. */
import { beforeEach, describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { compareWithFold } from '../../../../test/support/fold.ts'
import { newOrder } from '../../../../test/support/orders.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { OrderDetails } from '../reading/schema.ts'
import type { OrderRequest } from '../schema.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../scoring/parameters.ts'
import type { DraftCheck, RuleLanguage, RuleMatches, RulesApplied, RulesShown } from './schema.ts'

const harness = useHarness()
const PATH = '/console/api/rules'
let owner: Owner
let token: string
let base_version: number

beforeEach(async () => {
  const { org_id } = await harness().createTenant()
  owner = { org_id, mode: 'live' }
  token = await harness().signIn(org_id, 'admin')
  base_version = 0
})

const GIFTS = {
  name: 'Gift cards',
  applies_to: 'order',
  state: 'on',
  when: 'order.items.exists(i, i.category == "gift_card") && order.is_guest',
  effect: 'points',
  value: 60,
}

const post = async <Content>(path: string, body: object) =>
  (
    await harness().call<Content & { field?: string; message?: string }>({
      method: 'POST',
      path: `${PATH}${path}`,
      token,
      body: { org_id: owner.org_id, ...body },
    })
  ).body

const get = async <Content>(path: string) =>
  (await harness().get<Content>(`/console/api${path}?org_id=${owner.org_id}`, { token })).body
    .content

async function apply(...custom_rules: object[]): Promise<RulesApplied> {
  const body = { base_version, overrides: {}, custom_rules }
  const { content } = await post<RulesApplied>('/apply', body)
  base_version = content.version
  return content
}

const gift = {
  quantity: 1,
  unit_price_cents: 5000,
  total_price_cents: 5000,
  item_category: 'gift_card',
}
const score = async (more: object = {}) =>
  await harness().services.orders.score(
    owner,
    newOrder({ amount_cents: 5000, items: [gift], ...more }) as OrderRequest,
  )
const details = async (id: string) => await get<OrderDetails>(`/orders/${id}`)

describe('custom rules', () => {
  it('change the scores of orders through a signal, and are named by the explanation', async () => {
    expect((await score()).risk.risk_score).toBe(0)
    expect((await apply(GIFTS)).custom_changes).toEqual([{ name: 'Gift cards', change: 'added' }])
    const { order, risk } = await score()
    expect(risk).toMatchObject({
      risk_score: 60,
      risk_level: 'high',
      flags: ['pattern_anomaly'],
      flagged_for_review: true,
    })
    const explained = await details(order.id)
    expect(explained.adjustments).toMatchObject([
      { by: 'rule', rule: 'Gift cards', sentence: 'The rule “Gift cards” matches. Score 0 → 60' },
    ])
    expect(explained.reviews).toMatchObject([{ reason: 'The rule “Gift cards” matches' }])
    expect((await score({ external_id: 'ann' })).risk.risk_score).toBe(0)
  })

  it('only record what they would have done while they are in shadow', async () => {
    const usual = (await score()).risk
    await apply(
      { ...GIFTS, state: 'shadow' },
      { ...GIFTS, name: 'Alert', state: 'shadow', effect: 'alert' },
    )
    const { order, risk } = await score()
    expect(risk).toEqual(usual)
    const { adjustments, shadows } = await details(order.id)
    expect(adjustments).toEqual([])
    expect(shadows.map(({ sentence }) => sentence)).toEqual([
      'The rule “Gift cards” matches, in shadow: the score would have gone 0 → 60',
      'The rule “Alert” matches, in shadow: it would have raised an alert',
    ])
    const { matches } = await get<{ matches: RuleMatches }>('/rules/custom')
    expect(matches).toMatchObject({
      examined: [{ applies_to: 'order', count: 2 }],
      rules: [
        { rule: 'Alert', matched: 0, in_shadow: 1, flagged: 0 },
        { rule: 'Gift cards', matched: 0, in_shadow: 1, flagged: 1 },
      ],
    })
  })

  it('send to review, limit, and raise an alert once a day for a device', async () => {
    await apply(
      { ...GIFTS, name: 'Look', effect: 'review' },
      { ...GIFTS, name: 'Trusted', effect: 'cap', value: 20, when: 'order.store == "Office"' },
      { ...GIFTS, name: 'Ring', effect: 'alert' },
    )
    const phone = { fingerprint_hash: 'phone' }
    const first = await score(phone)
    expect(first.risk).toMatchObject({ risk_score: 50, flagged_for_review: true })
    const reasons = async ({ order }: typeof first) =>
      (await details(order.id)).reviews.map(({ subject, reason }) => `${subject}: ${reason}`)
    expect(await reasons(first)).toContain('alert: rule “Ring”')
    expect(await reasons(await score(phone))).not.toContain('alert: rule “Ring”')
    const capped = await score({ location_name: 'Office' })
    expect(capped.risk).toMatchObject({ risk_score: 20, flagged_for_review: false })
  })

  it('yield to the lists of the organization', async () => {
    await apply(GIFTS)
    await harness().services.lists.add(
      owner,
      { list: 'allow', kind: 'device', value: 'known-phone' },
      'cli',
    )
    expect((await score({ fingerprint_hash: 'known-phone' })).risk.risk_level).toBe('low')
  })

  it('can be rolled back, and are repeated exactly by a fold', async () => {
    await score()
    await apply(GIFTS)
    await score()
    await post('/rollback', { base_version, version: 0 })
    const { risk } = await score()
    expect(risk.risk_score).toBe(0)
    const { stores, core } = harness()
    const from = { db: stores.db, sealer: core.sealer }
    const fold = await compareWithFold(from, owner.org_id)
    expect(fold).toMatchObject({ orders: 3, wrong_scores: [], wrong_states: [] })
    const audit = await get<{ entries: { action: string; details: object }[] }>('/audit')
    expect(audit.entries.slice(0, 2)).toMatchObject([
      { action: 'rules.rolled_back', details: { custom_rules: [{ change: 'removed' }] } },
      { action: 'rules.applied', details: { custom_rules: [{ name: 'Gift cards' }] } },
    ])
  })

  it('are replayed as a draft', async () => {
    for (let i = 0; i < 3; i += 1) await score()
    const range = { from: new Date(0), to: new Date('2100-01-01') }
    const replay = async (custom_rules?: object[]) =>
      await harness().services.orders.replay({
        owners: [owner],
        ...range,
        custom_rules: custom_rules as never,
      })
    const complete = { ...GIFTS, signal: 'pattern', comment: '', warning: '' }
    expect(await replay([complete])).toMatchObject({ orders: 3, flagged_then: 0, flagged_now: 3 })
    expect(await replay([{ ...complete, state: 'shadow' }])).toMatchObject({ flagged_now: 0 })
    await apply(GIFTS)
    expect(await replay()).toMatchObject({ flagged_now: 3 })
  })

  it('are switched off when they take too long, while the orders are scored', async () => {
    await apply(GIFTS, { ...GIFTS, name: 'Slow', when: 'order.hour >= 0', value: 1 })
    const active = await harness().services.order_rules.active(owner)
    await harness().services.order_rules.switchOff(owner, active.version, ['Slow'])
    const { custom_rules, applied } = await get<RulesShown>('/rules')
    expect(custom_rules).toMatchObject([
      { name: 'Gift cards', state: 'on', warning: '' },
      { name: 'Slow', state: 'off', warning: expect.stringContaining('too long') as string },
    ])
    expect(applied).toMatchObject({ version: 2, applied_by: 'budget' })
    // Another version became active in the meantime.
    await harness().services.order_rules.switchOff(owner, active.version, ['Gift cards'])
    expect((await get<RulesShown>('/rules')).version).toBe(2)
    const audit = await get<{ entries: { action: string }[] }>('/audit')
    expect(audit.entries[0]).toMatchObject({ action: 'rules.switched_off' })
  })

  it('stay when a version changes numbers only', async () => {
    await apply(GIFTS)
    const parameters = {
      ...DEFAULT_ORDER_PARAMETERS,
      history: { ...DEFAULT_ORDER_PARAMETERS.history, known_orders: 20 },
    }
    const by = { base_version, note: null, by: 'cli' }
    await harness().services.order_rules.apply(owner, parameters, by)
    expect((await get<RulesShown>('/rules')).custom_rules).toMatchObject([{ name: 'Gift cards' }])
  })
})

describe('a draft of custom rules', () => {
  it('is checked with the places of its faults', async () => {
    const custom_rules = [
      GIFTS,
      { ...GIFTS, name: 'Typo', when: 'order.amout_cents > 5' },
      { ...GIFTS, name: 'Value', value: 500 },
    ]
    const { content } = await post<DraftCheck>('/check', { custom_rules })
    expect(content.faults).toEqual([
      { rule: 1, field: 'when', message: 'There is no fact "amout_cents" here', start: 6, end: 17 },
      {
        rule: 2,
        field: 'value',
        message: 'value must be a whole number from -100 to 100',
        start: null,
        end: null,
      },
    ])
    const refused = await post('/apply', { base_version, overrides: {}, custom_rules })
    expect(refused.content.field).toBe('custom_rules.1.when')
    const { languages } = await get<{ languages: RuleLanguage[] }>('/rules/custom')
    expect(languages[0]?.facts).toContainEqual({
      name: 'order.currency',
      type: 'string',
      about: 'ISO 4217 code, such as "EUR"',
    })
  })
})
