import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  addApplication,
  createPushNode,
  newFcmToken,
  type TestApplication,
} from '../../../../test/support/push-world.ts'
import type { Subscription } from './schema.ts'
import { type Invalidation, invalidate, REACHABLE } from './store.ts'
import { tokenHashOf } from './token.ts'

const db = testDatabase()
const { subscriptions } = createPushNode(db)

let shop: TestApplication
let token: string
let made: Subscription
beforeEach(async () => {
  shop = await addApplication(db)
  token = newFcmToken()
  made = await register({ token })
})

const register = async (request: { token: string; subscription_id?: string }) =>
  await subscriptions.register(shop.org_id, {
    application_id: shop.application_id,
    platform: 'android',
    ...request,
  })
const found = async () =>
  await subscriptions.find(shop.org_id, { application_id: shop.application_id, id: made.id })
const dead = (change: Partial<Invalidation> = {}): Invalidation => ({
  application_id: shop.application_id,
  id: made.id,
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
const shifted = (ms: number) => new Date(made.token_registered_at.getTime() + ms)

describe('a token that a provider says is dead', () => {
  it('is not sent to any more, with the reason', async () => {
    expect(await reachable()).toEqual([made.id])
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

  it('is not the one that came meanwhile', async () => {
    await register({ token: newFcmToken(), subscription_id: made.id })
    await invalidate(db, [dead()])
    expect(await found()).toMatchObject({ is_reachable: true, invalid_reason: null })
  })

  it('is good when it was registered after the time that the provider tells', async () => {
    await invalidate(db, [dead({ invalid_since: shifted(0) })])
    await invalidate(db, [dead({ invalid_since: shifted(-1000) })])
    expect(await found()).toMatchObject({ is_reachable: true })
    await invalidate(db, [dead({ invalid_since: shifted(1000) })])
    expect(await found()).toMatchObject({ is_reachable: false })
  })

  it('is that of one subscription, not of its neighbours', async () => {
    const neighbour = await register({ token: newFcmToken() })
    const { application_id } = await addApplication(db)
    await invalidate(db, [dead({ application_id }), dead({ id: neighbour.id })])
    expect((await reachable()).toSorted()).toEqual([made.id, neighbour.id].toSorted())
    await invalidate(db, [])
    await invalidate(db, [dead(), dead({ id: neighbour.id })])
    expect(await reachable()).toEqual([neighbour.id])
  })

  it('may have a reason that nobody could store', async () => {
    await invalidate(db, [dead({ reason: `bad\0${'x'.repeat(1000)}\ud800` })])
    expect((await found())?.invalid_reason).toMatch(/^badx{509}$/)
  })
})

describe('who can be reached', () => {
  it('is read from an index, and not by looking at everybody', async () => {
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
