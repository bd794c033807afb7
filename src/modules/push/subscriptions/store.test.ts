import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  addApplication,
  createPushNode,
  newFcmToken,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import type { Subscription } from './schema.ts'
import { type Invalidation, invalidate, REACHABLE } from './store.ts'
import { tokenHashOf } from './token.ts'

const db = testDatabase()
const { subscriptions } = createPushNode(db)

let shop: TestApplication
let token: string
let registered: Subscription
beforeEach(async () => {
  shop = await addApplication(db)
  token = newFcmToken()
  registered = await register({ token })
})

const register = async (request: { token: string; subscription_id?: string }) =>
  await subscriptions.register(shop.org_id, {
    application_id: shop.application_id,
    platform: 'android',
    ...request,
  })
const found = async () =>
  await subscriptions.find(shop.org_id, { application_id: shop.application_id, id: registered.id })
const dead = (change: Partial<Invalidation> = {}): Invalidation => ({
  org_id: shop.org_id,
  application_id: shop.application_id,
  id: registered.id,
  token_hash: tokenHashOf(token),
  reason: 'UNREGISTERED',
  ...change,
})
const reachable = async () =>
  (
    await sql<{ id: string }>`
      select id from push_subscriptions where application_id = ${shop.application_id} and ${REACHABLE}`.execute(
      db,
    )
  ).rows.map(({ id }) => id)
const shifted = (ms: number) => new Date(registered.token_registered_at.getTime() + ms)

describe('a token that a provider reports as invalid', () => {
  it('makes the subscription unreachable, with the reason', async () => {
    expect(await reachable()).toEqual([registered.id])
    await invalidate(db, [dead()])
    expect(await found()).toMatchObject({
      is_reachable: false,
      invalid_reason: 'UNREGISTERED',
      token_tail: token.slice(-6),
    })
    expect(await reachable()).toEqual([])
  })

  it('keeps its first reason and its time', async () => {
    await invalidate(db, [dead(), dead()])
    const first = await found()
    await invalidate(db, [dead({ reason: 'other' })])
    expect(await found()).toEqual(first)
  })

  it('does not affect a newer token', async () => {
    await register({ token: newFcmToken(), subscription_id: registered.id })
    await invalidate(db, [dead()])
    expect(await found()).toMatchObject({ is_reachable: true, invalid_reason: null })
  })

  it('stays valid if it was registered after the time that the provider reports', async () => {
    await invalidate(db, [dead({ invalid_since: shifted(0) })])
    await invalidate(db, [dead({ invalid_since: shifted(-1000) })])
    expect(await found()).toMatchObject({ is_reachable: true })
    await invalidate(db, [dead({ invalid_since: shifted(1000) })])
    expect(await found()).toMatchObject({ is_reachable: false })
  })

  it('does not affect other subscriptions', async () => {
    const neighbor = await register({ token: newFcmToken() })
    const { application_id } = await addApplication(db)
    await invalidate(db, [dead({ application_id }), dead({ id: neighbor.id })])
    expect((await reachable()).toSorted()).toEqual([registered.id, neighbor.id].toSorted())
    await invalidate(db, [])
    await invalidate(db, [dead(), dead({ id: neighbor.id })])
    expect(await reachable()).toEqual([neighbor.id])
  })

  it('can have a reason that PostgreSQL cannot store', async () => {
    await invalidate(db, [dead({ reason: `bad\0${'x'.repeat(1000)}\ud800` })])
    expect((await found())?.invalid_reason).toMatch(/^badx{509}$/)
  })
})

describe('reachable subscriptions', () => {
  it('are read through an index without reading the others', async () => {
    const plan = await db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx)
      return await sql<{ 'QUERY PLAN': string }>`
        explain select id from push_subscriptions
        where application_id = ${sql.lit(shop.application_id)} and provider = 'fcm' and ${REACHABLE}
        order by id limit 5000`.execute(tx)
    })
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain('push_subscriptions_reachable')
    expect(text).not.toContain('Sort')
  })
})
