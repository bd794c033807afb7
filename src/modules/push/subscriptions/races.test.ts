import { randomInt } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  addApplication,
  createPushNode,
  newFcmToken,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import { invalidate } from './store.ts'
import { tokenHashOf } from './token.ts'

const db = ownDatabase()
const nodes = [createPushNode(db), createPushNode(db)] as const
const nodeOf = (round: number) => (round % 2 === 0 ? nodes[0] : nodes[1])

let shop: TestApplication
beforeEach(async () => {
  shop = await addApplication(db)
})

const register = async (round: number, token: string, subscription_id?: string) => {
  const { subscriptions } = nodeOf(round)
  const request = {
    application_id: shop.application_id,
    platform: 'android' as const,
    token,
    subscription_id,
  }
  return await subscriptions.register(shop.org_id, request)
}
const rows = async () =>
  await db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('application_id', '=', shop.application_id)
    .execute()
const pick = <T>(items: readonly T[]): T => {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('concurrently', () => {
  it('many registrations of one token create one subscription', async () => {
    const token = newFcmToken()
    const registered = await Promise.all(times(24, async (round) => await register(round, token)))
    expect(new Set(registered.map(({ id }) => id)).size).toBe(1)
    expect(await rows()).toHaveLength(1)
  })

  it('many subscriptions register one token, and one of them has it', async () => {
    const registered = await Promise.all(
      times(8, async (round) => await register(round, newFcmToken())),
    )
    const token = newFcmToken()
    await Promise.all(registered.map(async ({ id }, round) => await register(round, token, id)))
    const owners = (await rows()).filter((row) => row.token === token)
    expect(owners).toHaveLength(1)
    const rest = (await rows()).filter((row) => row.token !== token)
    expect(new Set(rest.map(({ invalid_reason }) => invalid_reason))).toEqual(
      new Set(['token_moved']),
    )
  })

  it('two subscriptions swap tokens, and both requests succeed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [newFcmToken(), newFcmToken()]
      const [first, second] = [await register(0, a), await register(1, b)]
      await Promise.all([register(0, b, first.id), register(1, a, second.id)])
      const found = (await rows()).filter(({ id }) => id === first.id || id === second.id)
      expect(found.map(({ token }) => token ?? 'moved').toSorted()).not.toEqual(['moved', 'moved'])
    }
  })

  it('tokens move while senders invalidate them, without a deadlock', async () => {
    const tokens = times(4, newFcmToken)
    const registered = await Promise.all(
      times(6, async (round) => await register(round, newFcmToken())),
    )
    const ids = registered.map(({ id }) => id)
    const invalidateAll = async () => {
      const known = (await rows()).toSorted(() => randomInt(3) - 1)
      await db.transaction().execute(async (tx) => {
        await invalidate(
          tx,
          known.map(({ org_id, application_id, id, token_hash }) => ({
            org_id,
            application_id,
            id,
            token_hash: token_hash ?? tokenHashOf('none'),
            reason: 'UNREGISTERED',
          })),
        )
      })
    }
    await Promise.all(
      times(240, async (round) => {
        if (round % 4 === 0) await invalidateAll()
        else await register(round, pick(tokens), round % 3 === 0 ? undefined : pick(ids))
      }),
    )
    const held = (await rows()).flatMap(({ token }) => (token === null ? [] : [token]))
    expect(new Set(held).size).toBe(held.length)
    for (const row of await rows()) {
      expect(row.token === null).toBe(row.invalid_reason === 'token_moved')
    }
  })

  it('many subscriptions present one assertion, and one of them is identified', async () => {
    const registered = await Promise.all(
      times(12, async (round) => await register(round, newFcmToken())),
    )
    const { org_id, environment: mode, application_id } = shop
    const claim = { application_id, external_user_id: 'anna' }
    const { identity_token } = await nodes[0].identity.issue({ org_id, mode }, claim)
    const outcomes = await Promise.allSettled(
      registered.map(async ({ id }, round) => {
        const key = { application_id, id }
        return await nodeOf(round).subscriptions.identify(org_id, key, identity_token)
      }),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    for (const each of refused) expect(each).toMatchObject({ reason: { status: 400 } })
    expect((await rows()).filter((row) => row.external_user_id === 'anna')).toHaveLength(1)
  })

  it('a subscription presents one assertion many times, and is identified', async () => {
    const { id } = await register(0, newFcmToken())
    const { org_id, environment: mode, application_id } = shop
    const claim = { application_id, external_user_id: 'anna' }
    const { identity_token } = await nodes[0].identity.issue({ org_id, mode }, claim)
    const shown = await Promise.all(
      times(8, async (round) => {
        const key = { application_id, id }
        return await nodeOf(round).subscriptions.identify(org_id, key, identity_token)
      }),
    )
    expect(shown.map((each) => each?.external_user_id)).toEqual(times(8, () => 'anna'))
  })
})
