import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  addApplication,
  addSentMessage,
  createPushNode,
  receiptsOf,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import type { ReceiptKind } from './receipt.ts'
import { countReceipts, markReceipts } from './store.ts'

const db = ownDatabase()
const nodes = [createPushNode(db).receipts, createPushNode(db).receipts] as const
const [receipts] = nodes

let shop: TestApplication
beforeEach(async () => {
  shop = await addApplication(db)
})

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID())
const receipt = (message_id: string, subscription_id: string, kind: ReceiptKind = 'received') => ({
  message_id,
  subscription_id,
  kind,
})
const recipientsOf = async (message_id: string) =>
  await db
    .selectFrom('push_recipients')
    .select(['received_at', 'clicked_at', 'status'])
    .where('message_id', '=', message_id)
    .execute()
/** Number of transactions that updated recipients of a message. */
const transactionsOf = async (message_id: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text) as count from push_recipients
    where message_id = ${message_id}`.execute(db)
  return rows[0]?.count
}

describe('a receipt', () => {
  it('counts once per recipient and kind, with the time of the first one', async () => {
    const [one = '', two = ''] = newIds(2)
    const message = await addSentMessage(db, shop, [one, two])
    const reported = [
      receipt(message, one),
      receipt(message, one, 'clicked'),
      receipt(message, two),
    ]
    expect(await receipts.record(shop.org_id, reported)).toEqual({ known: 3 })
    expect(await receiptsOf(db, message)).toEqual({ received: 2, clicked: 1 })
    const first = await recipientsOf(message)
    expect(await receipts.record(shop.org_id, reported)).toEqual({ known: 3 })
    expect(await receiptsOf(db, message)).toEqual({ received: 2, clicked: 1 })
    expect(await recipientsOf(message)).toEqual(first)
    expect(first.every(({ received_at, status }) => received_at && status === 'accepted')).toBe(
      true,
    )
  })

  it('that is duplicated in one call counts once', async () => {
    const [one = ''] = newIds(1)
    const message = await addSentMessage(db, shop, [one], 'apns')
    const reported = [
      receipt(message, one),
      receipt(message.toUpperCase(), one.toUpperCase()),
      receipt(message, one),
    ]
    expect(await receipts.record(shop.org_id, reported)).toEqual({ known: 3 })
    expect(await receiptsOf(db, message)).toEqual({ received: 1, clicked: 0 })
  })

  it('for an unknown recipient changes nothing', async () => {
    const [one = '', other = ''] = newIds(2)
    const message = await addSentMessage(db, shop, [one])
    const reported = [receipt(message, other), receipt(randomUUID(), one), receipt(other, message)]
    expect(await receipts.record(shop.org_id, reported)).toEqual({ known: 0 })
    expect(await receipts.record(shop.org_id, [])).toEqual({ known: 0 })
    expect(await receiptsOf(db, message)).toEqual({ received: 0, clicked: 0 })
  })

  it('for a message of another organization changes and reveals nothing, even in the same batch as its own', async () => {
    const stranger = await addApplication(db)
    const [one = ''] = newIds(1)
    const message = await addSentMessage(db, shop, [one])
    const reported = [receipt(message, one, 'clicked')]
    expect(await receipts.record(stranger.org_id, reported)).toEqual({ known: 0 })
    expect(await receiptsOf(db, message)).toEqual({ received: 0, clicked: 0 })
    const together = [
      receipts.record(stranger.org_id, reported),
      receipts.record(shop.org_id, [receipt(message, one)]),
    ]
    expect(await Promise.all(together)).toEqual([{ known: 0 }, { known: 1 }])
    expect(await receiptsOf(db, message)).toEqual({ received: 1, clicked: 0 })
  })

  it('that is malformed does not affect others', async () => {
    const [one = ''] = newIds(1)
    const message = await addSentMessage(db, shop, [one])
    const [bad, good] = await Promise.allSettled([
      receipts.record(shop.org_id, [receipt('no id', one)]),
      receipts.record(shop.org_id, [receipt(message, one)]),
    ])
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled'])
    expect(await receiptsOf(db, message)).toEqual({ received: 1, clicked: 0 })
  })
})

describe('thousands of concurrent receipts', () => {
  it('for one message, duplicated on two nodes, count each recipient once, in few transactions', async () => {
    const ids = newIds(3000)
    const message = await addSentMessage(db, shop, ids)
    const calls = [...ids, ...ids.toReversed()].map(async (id, index) => {
      const node = nodes[index % nodes.length] ?? receipts
      return await node.record(shop.org_id, [
        receipt(message, id),
        receipt(message, id, index % 2 === 0 ? 'clicked' : 'received'),
      ])
    })
    const answers = await Promise.all(calls)
    expect(answers.every(({ known }) => known === 2)).toBe(true)
    expect(await receiptsOf(db, message)).toEqual({ received: 3000, clicked: 3000 })
    expect(await transactionsOf(message)).toBeLessThan(50)
    const rows = await recipientsOf(message)
    expect(rows.every(({ received_at }) => received_at !== null)).toBe(true)
  })

  it('for many messages never deadlock with each other', async () => {
    const ids = newIds(20)
    const messages = await Promise.all(
      newIds(10).map(async () => await addSentMessage(db, shop, ids)),
    )
    const fresh = Array.from({ length: 6 }, () => createPushNode(db).receipts)
    const reported = messages.flatMap((message) => ids.map((id) => receipt(message, id)))
    await Promise.all(
      fresh.map(async (node, index) => {
        const order = index % 2 === 0 ? reported : reported.toReversed()
        await Promise.all(order.map(async (each) => await node.record(shop.org_id, [each])))
      }),
    )
    for (const message of messages) {
      expect(await receiptsOf(db, message)).toEqual({ received: 20, clicked: 0 })
    }
  })

  it('never deadlock with senders that settle the same recipients', async () => {
    const ids = newIds(40)
    const messages = await Promise.all(
      newIds(3).map(async () => await addSentMessage(db, shop, ids)),
    )
    const settle = async () => {
      await db.transaction().execute(async (tx) => {
        await sql`
          update push_recipients r set attempts = r.attempts + 1 from (
            select * from push_recipients where message_id = any (${messages}::uuid[])
            order by message_id, provider, subscription_id for update) l
          where r.message_id = l.message_id and r.provider = l.provider
            and r.subscription_id = l.subscription_id`.execute(tx)
        await sql`
          update push_messages m set accepted = m.accepted + 1 from (
            select id from push_messages where id = any (${messages}::uuid[])
            order by id for update) l
          where m.id = l.id`.execute(tx)
      })
    }
    // As the service does, but without its retries.
    const { org_id } = shop
    const reported = messages.flatMap((message) =>
      ids.map((id) => ({ org_id, ...receipt(message, id, 'clicked') })),
    )
    const record = async () => {
      await db.transaction().execute(async (tx) => {
        const marked = await markReceipts(tx, reported.toReversed())
        await countReceipts(
          tx,
          messages.map((id) => ({
            id,
            received: 0,
            clicked: marked.filter((each) => each.message_id === id && each.clicked === 1).length,
          })),
        )
      })
    }
    await Promise.all(
      Array.from({ length: 40 }, async (_, round) => {
        await (round % 2 === 0 ? settle() : record())
      }),
    )
    for (const message of messages) {
      expect(await receiptsOf(db, message)).toEqual({ received: 0, clicked: 40 })
    }
  })
})
