import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  ACCEPTED,
  addPushMessage,
  addPushSubscriptions,
  clearPush,
  fakeSenders,
  listMiscounted,
  someTokens,
  startPushDispatcher,
} from '../../../../test/support/push-dispatch.ts'
import {
  addApplication,
  addSentMessage,
  createPushNode,
  receiptsOf,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import { messageOf, recipientsOf } from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { sweepSubscriptions } from './deletion.store.ts'

const db = ownDatabase()
const { subscriptions, receipts } = createPushNode(db)
const LONG_AGO = new Date(Date.now() - 90 * 24 * HOUR_MS)

let shop: TestApplication
let dispatcher: Dispatcher | undefined
beforeEach(async () => {
  await clearPush(db)
  shop = await addApplication(db)
})
afterEach(async () => {
  await dispatcher?.stop(0)
  dispatcher = undefined
})

const idsLeft = async () =>
  (await db.selectFrom('push_subscriptions').select('id').execute()).map(({ id }) => id).toSorted()
const remove = async (id: string, { org_id, application_id } = shop) =>
  await subscriptions.remove(org_id, { application_id, id })
/** Adds subscriptions that became invalid this long before {@link LONG_AGO}. */
const die = async (ids: readonly string[], before_ms: number) => {
  await sql`
    update push_subscriptions set invalid_reason = 'UNREGISTERED',
      invalidated_at = ${new Date(LONG_AGO.getTime() - before_ms)}::timestamptz
    where id = any (${[...ids]}::uuid[])`.execute(db)
}

describe('a deleted subscription', () => {
  it('gets no pending notification; its recipients fail when their turn comes', async () => {
    const ids = await addPushSubscriptions(db, shop, someTokens(3), { user: 'anna' })
    const target = { target: 'external_user_ids' as const, target_ids: ['anna'] }
    const id = await addPushMessage(db, shop, ids, target)
    const [gone = '', ...left] = ids
    expect(await remove(gone)).toBe(true)
    const sent: string[] = []
    dispatcher = startPushDispatcher(db, {
      senders: fakeSenders(({ token }) => {
        sent.push(token)
        return Promise.resolve(ACCEPTED)
      }),
    })
    await vi.waitFor(
      async () => expect((await messageOf(db, id)).status).toBe('partially_failed'),
      {
        timeout: 15_000,
      },
    )
    expect(sent).toHaveLength(2)
    const outcomes = (await recipientsOf(db, id)).map(({ subscription_id, status, reason }) => [
      subscription_id,
      status,
      reason,
    ])
    expect(outcomes).toEqual([
      [gone, 'failed', 'unreachable'],
      ...left.map((each) => [each, 'accepted', null]),
    ])
    expect(await listMiscounted(db)).toEqual([])
  })

  it('sends no receipts for earlier messages', async () => {
    const [gone, stays] = [randomUUID(), randomUUID()]
    const message_id = await addSentMessage(db, shop, [gone, stays])
    await receipts.record(shop.org_id, [{ message_id, subscription_id: gone, kind: 'received' }])
    await remove(gone)
    const reported = [gone, stays].map((subscription_id) => ({
      message_id,
      subscription_id,
      kind: 'clicked' as const,
    }))
    expect(await receipts.record(shop.org_id, reported)).toEqual({ known: 1 })
    expect(await receiptsOf(db, message_id)).toEqual({ received: 1, clicked: 1 })
  })

  it('is identified by organization, application and id', async () => {
    const other = await addApplication(db)
    const sibling = await addApplication(db, { org_id: shop.org_id })
    const [id = ''] = await addPushSubscriptions(db, shop, someTokens(1))
    const { application_id } = shop
    expect(await remove(id, { ...other, application_id })).toBe(false)
    expect(await remove(id, sibling)).toBe(false)
    expect(await remove('x')).toBe(false)
    expect(await idsLeft()).toEqual([id])
    expect(await remove(id)).toBe(true)
    expect(await remove(id)).toBe(false)
    expect(await idsLeft()).toEqual([])
  })
})

describe('the sweep of subscriptions', () => {
  it('deletes those whose tokens have been invalid for long, and no others', async () => {
    const ids = await addPushSubscriptions(db, shop, someTokens(5))
    const [old = '', moved = '', younger = '', denied = '', good = ''] = ids
    await die([old, moved], HOUR_MS)
    await die([younger], -HOUR_MS)
    await sql`update push_subscriptions set token = null, token_hash = null
      where id = ${moved}`.execute(db)
    await sql`update push_subscriptions set permission = 'denied', updated_at = '2020-01-01'
      where id = ${denied}`.execute(db)
    expect(await sweepSubscriptions(db, LONG_AGO)).toBe(2)
    expect(await sweepSubscriptions(db, LONG_AGO)).toBe(0)
    expect(await idsLeft()).toEqual([younger, denied, good].toSorted())
  })

  it('works in portions', async () => {
    await die(await addPushSubscriptions(db, shop, someTokens(5200)), HOUR_MS)
    expect(await sweepSubscriptions(db, LONG_AGO)).toBe(5000)
    expect(await sweepSubscriptions(db, LONG_AGO)).toBe(200)
  })

  it('skips one that is being registered again', async () => {
    const [back = '', gone = ''] = await addPushSubscriptions(db, shop, someTokens(2))
    await die([back, gone], HOUR_MS)
    await db.transaction().execute(async (tx) => {
      await sql`update push_subscriptions set invalidated_at = null, invalid_reason = null
        where id = ${back}`.execute(tx)
      expect(await sweepSubscriptions(db, LONG_AGO)).toBe(1)
    })
    expect(await sweepSubscriptions(db, LONG_AGO)).toBe(0)
    expect(await idsLeft()).toEqual([back])
  })

  it('finds them through an index without reading the others', async () => {
    const text = await db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx)
      await sql`set local enable_bitmapscan = off`.execute(tx)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain select ctid from push_subscriptions
        where invalidated_at < ${sql.lit(LONG_AGO.toISOString())}::timestamptz
        order by invalidated_at limit 5000 for update skip locked`.execute(tx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(text).toContain('push_subscriptions_invalidated')
    expect(text).not.toContain('Sort')
  })
})
