import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { backendOf, untilBlockedBy } from '../../../../test/support/locks.ts'
import { addApplication, type TestApplication } from '../../../../test/support/push-fixtures.ts'
import {
  addSubscriptions,
  batchesOf,
  messageOf,
  recipientsOf,
  settleAll,
} from '../../../../test/support/push-messages.ts'
import {
  cancelMessage,
  completeMessages,
  insertMessage,
  rescheduleMessage,
} from '../messages/store.ts'
import type { PushTarget } from '../tables.ts'
import { expandStep, OvertakenError, type Step } from './step.ts'

const db = ownDatabase()

async function addMessage(
  { org_id, application_id }: TestApplication,
  target: PushTarget = 'all',
  target_ids: string[] = [],
  send_at?: Date,
) {
  const id = randomUUID()
  const content = { title: 'Hello' }
  const to = { id, org_id, application_id, target, target_ids, content, send_at }
  await insertMessage(db, { ...to, give_up_seconds: 3600 })
  return id
}

const step = async (id: string, max?: number) =>
  await db.transaction().execute(async (tx) => await expandStep(tx, id, max))

/** @returns number of recipients created by each step */
async function expand(id: string, max?: number): Promise<number[]> {
  const counts: number[] = []
  for (;;) {
    const done = await step(id, max)
    if (done === undefined || done === 'busy') return counts
    counts.push(done.recipients)
  }
}

const idsOf = async (id: string) =>
  (await recipientsOf(db, id)).map(({ subscription_id }) => subscription_id)

describe('a message to all', () => {
  it('reaches every subscription once, in steps and in consecutive batches of a hundred', async () => {
    const app = await addApplication(db)
    const fcm = await addSubscriptions(db, app, 250)
    const apns = await addSubscriptions(db, app, 30, { provider: 'apns' })
    const id = await addMessage(app)
    expect(await expand(id, 120)).toEqual([120, 120, 40])
    expect(await idsOf(id)).toEqual([...fcm, ...apns])
    const batches = await batchesOf(db, id)
    expect(batches.map(({ provider, recipients }) => [provider, recipients])).toEqual([
      ['fcm', 100],
      ['fcm', 20],
      ['fcm', 100],
      ['fcm', 20],
      ['fcm', 10],
      ['apns', 30],
    ])
    expect(batches.map(({ first_id, last_id }) => [first_id, last_id])).toEqual([
      [fcm[0], fcm[99]],
      [fcm[100], fcm[119]],
      [fcm[120], fcm[219]],
      [fcm[220], fcm[239]],
      [fcm[240], fcm[249]],
      [apns[0], apns[29]],
    ])
    expect(batches.every(({ is_broadcast }) => is_broadcast)).toBe(true)
    expect(await messageOf(db, id)).toMatchObject({
      status: 'sending',
      recipients: 280,
      failed: 0,
      expand_at: null,
    })
  })

  it('ends with the step that finds no more, even after a full one', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 20)
    const id = await addMessage(app)
    expect(await expand(id, 10)).toEqual([10, 10, 0])
  })

  it('skips unreachable subscriptions and those of other apps', async () => {
    const app = await addApplication(db)
    const reached = [
      ...(await addSubscriptions(db, app, 1)),
      ...(await addSubscriptions(db, app, 1, { permission: 'provisional' })),
    ].toSorted()
    await addSubscriptions(db, app, 1, { permission: 'denied' })
    await addSubscriptions(db, app, 1, { is_invalid: true })
    await addSubscriptions(db, await addApplication(db, { org_id: app.org_id }), 1)
    const id = await addMessage(app)
    await expand(id)
    expect(await idsOf(id)).toEqual(reached)
  })

  it('to no subscriptions is sent immediately', async () => {
    const id = await addMessage(await addApplication(db))
    expect(await step(id)).toEqual({ recipients: 0, is_done: true })
    expect(await messageOf(db, id)).toMatchObject({ status: 'sent', recipients: 0 })
    expect((await messageOf(db, id)).completed_at).toBeInstanceOf(Date)
  })

  it('includes new subscriptions and excludes unreachable ones ahead of the cursor', async () => {
    const app = await addApplication(db)
    const before = await addSubscriptions(db, app, 4)
    const id = await addMessage(app)
    await step(id, 2)
    await sql`
      update push_subscriptions set invalidated_at = now(), invalid_reason = 'gone'
      where id = any (${[before[0], before[3]]}::uuid[])`.execute(db)
    const late = 'ffffffff-0000-7000-8000-000000000001'
    await sql`
      update push_subscriptions set id = ${late}
      where id = ${(await addSubscriptions(db, app, 1))[0]}`.execute(db)
    await expand(id, 2)
    expect(await idsOf(id)).toEqual([before[0], before[1], before[2], late])
  })
})

describe('a message to users', () => {
  it('reaches all devices of each user once, however often the user is named', async () => {
    const app = await addApplication(db)
    const anna = [
      ...(await addSubscriptions(db, app, 3, { user: 'anna' })),
      ...(await addSubscriptions(db, app, 1, { user: 'anna', provider: 'apns' })),
    ]
    const ben = await addSubscriptions(db, app, 1, { user: 'ben' })
    await addSubscriptions(db, app, 2)
    await addSubscriptions(db, app, 1, { user: 'Anna' })
    await addSubscriptions(db, await addApplication(db), 1, { user: 'anna' })
    const id = await addMessage(app, 'external_user_ids', ['ben', 'anna', 'ben', 'nobody'])
    expect(await expand(id, 2)).toEqual([2, 2, 1])
    expect((await idsOf(id)).toSorted()).toEqual([...anna, ...ben].toSorted())
    expect((await batchesOf(db, id)).some(({ is_broadcast }) => is_broadcast)).toBe(false)
  })
})

describe('a message to subscriptions', () => {
  it('reaches exactly these, and never those of another application or organization', async () => {
    const app = await addApplication(db)
    const own = await addSubscriptions(db, app, 3)
    const sibling = await addApplication(db, { org_id: app.org_id })
    const foreign = [
      ...(await addSubscriptions(db, sibling, 1)),
      ...(await addSubscriptions(db, await addApplication(db), 1)),
      randomUUID(),
    ]
    const wanted = own.slice(0, 2)
    const id = await addMessage(app, 'subscription_ids', [...foreign, ...wanted, ...wanted])
    await expand(id, 1)
    expect(await idsOf(id)).toEqual(wanted)
    expect(await messageOf(db, id)).toMatchObject({ recipients: 2 })
  })
})

describe('recipients that cannot be sent to', () => {
  const failed = async (id: string) =>
    (await recipientsOf(db, id)).map(({ provider, status, reason }) => [provider, status, reason])

  it.each([
    ['no_credential', { credentials: ['fcm'] }],
    ['not_configured', { configured: ['fcm'] }],
  ] as const)(
    'fail immediately with %s, unlike those of the other provider',
    async (reason, given) => {
      const app = await addApplication(db, given)
      await addSubscriptions(db, app, 1)
      await addSubscriptions(db, app, 1, { provider: 'apns' })
      const id = await addMessage(app)
      await expand(id)
      expect(await failed(id)).toEqual([
        ['fcm', 'pending', null],
        ['apns', 'failed', reason],
      ])
      expect((await batchesOf(db, id)).map(({ provider }) => provider)).toEqual(['fcm'])
      expect(await messageOf(db, id)).toMatchObject({ status: 'sending', recipients: 2, failed: 1 })
    },
  )

  it('make the message fail when there are no others', async () => {
    const app = await addApplication(db, { credentials: [] })
    await addSubscriptions(db, app, 3)
    const id = await addMessage(app)
    await expand(id)
    expect(await messageOf(db, id)).toMatchObject({ status: 'failed', recipients: 3, failed: 3 })
  })

  it('include all when the message has expired', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 1)
    const id = await addMessage(app)
    await sql`update push_messages set give_up_at = now() where id = ${id}`.execute(db)
    await expand(id)
    expect(await failed(id)).toEqual([['fcm', 'failed', 'expired']])
  })
})

describe('a message of a deleted application', () => {
  it('is canceled with its pending recipients', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 4)
    const id = await addMessage(app)
    await step(id, 2)
    await sql`update applications set deleted_at = now() where id = ${app.application_id}`.execute(
      db,
    )
    expect(await expand(id, 2)).toEqual([0])
    expect(await messageOf(db, id)).toMatchObject({ status: 'cancelled', recipients: 2 })
    expect(await batchesOf(db, id)).toEqual([])
  })
})

describe('an interrupted step', () => {
  it('leaves nothing behind, and no recipient is skipped or duplicated', async () => {
    const app = await addApplication(db)
    const all = await addSubscriptions(db, app, 50)
    const id = await addMessage(app)
    const cutOff = new Error('killed')
    for (let finished = 0; finished < 6; finished += 1) {
      const before = await messageOf(db, id)
      const killed = db.transaction().execute(async (tx) => {
        await expandStep(tx, id, 10)
        throw cutOff
      })
      await expect(killed).rejects.toBe(cutOff)
      expect(await messageOf(db, id)).toEqual(before)
      expect(await idsOf(id)).toHaveLength(finished * 10)
      await step(id, 10)
    }
    expect(await idsOf(id)).toEqual(all)
    expect(await messageOf(db, id)).toMatchObject({ recipients: 50, expand_at: null })
  })
})

describe('concurrent expansions of a message', () => {
  it('exclude each other: the second one creates nothing', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 20)
    const id = await addMessage(app)
    await db.transaction().execute(async (tx) => {
      expect(await expandStep(tx, id, 5)).toMatchObject({ recipients: 5 })
      expect(await step(id, 5)).toBe('busy')
    })
    expect(await idsOf(id)).toHaveLength(5)
  })

  it('create every recipient once when they run at full speed', async () => {
    const app = await addApplication(db)
    const all = await addSubscriptions(db, app, 300)
    const id = await addMessage(app)
    const work = async () => {
      for (;;) {
        const done: Step | 'busy' | undefined = await step(id, 20)
        if (done === undefined) return
      }
    }
    await Promise.all([work(), work(), work()])
    expect(await idsOf(id)).toEqual(all)
    expect(await messageOf(db, id)).toMatchObject({ recipients: 300, expand_at: null })
  })

  it('do not wait for concurrent settling', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 20)
    const id = await addMessage(app)
    await step(id, 5)
    let stepped: Promise<unknown> | undefined
    await db.transaction().execute(async (tx) => {
      await sql`update push_messages set accepted = accepted + 1 where id = ${id}`.execute(tx)
      // At its end the step waits for the row instead of skipping the message.
      stepped = step(id, 5)
      await sql`select pg_sleep(0.05)`.execute(tx)
    })
    expect(await stepped).toMatchObject({ recipients: 5 })
    expect(await messageOf(db, id)).toMatchObject({ recipients: 10, accepted: 1 })
  })
})

describe('a message that changes during a step', () => {
  /** Runs a step that has read the message and waits for its first recipient, locked elsewhere. */
  async function during(change: (id: string, app: TestApplication) => Promise<unknown>) {
    const app = await addApplication(db)
    const [first] = await addSubscriptions(db, app, 20)
    const id = await addMessage(app, 'all', [], new Date(Date.now() - 60_000))
    const undo = new Error('undone')
    let going: Promise<unknown> | undefined
    const holding = db.transaction().execute(async (tx) => {
      await sql`
        insert into push_recipients (org_id, message_id, provider, subscription_id)
        values (${app.org_id}, ${id}, 'fcm', ${first})`.execute(tx)
      going = step(id, 5).catch((error: unknown) => error)
      await untilBlockedBy(db, await backendOf(tx))
      await change(id, app)
      throw undo
    })
    await expect(holding).rejects.toBe(undo)
    return { id, outcome: await going }
  }

  it('is not sent if it was canceled', async () => {
    const { id, outcome } = await during(async (message, { org_id }) => {
      await db.transaction().execute(async (tx) => await cancelMessage(tx, org_id, message))
    })
    expect(outcome).toBeInstanceOf(OvertakenError)
    expect(await expand(id)).toEqual([])
    expect(await messageOf(db, id)).toMatchObject({ status: 'cancelled', recipients: 0 })
    expect([await idsOf(id), await batchesOf(db, id)]).toEqual([[], []])
  })

  it('is not sent if it was rescheduled', async () => {
    const later = new Date(Date.now() + 3_600_000)
    const { id, outcome } = await during(
      async (message, { org_id }) => await rescheduleMessage(db, org_id, message, later),
    )
    expect(outcome).toBeInstanceOf(OvertakenError)
    expect(await expand(id)).toEqual([])
    const message = await messageOf(db, id)
    expect(message).toMatchObject({ status: 'scheduled', recipients: 0, send_at: later })
    expect(await idsOf(id)).toEqual([])
  })

  it('cannot be rescheduled once a step is done', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 20)
    const id = await addMessage(app, 'all', [], new Date(Date.now() - 60_000))
    await step(id, 5)
    expect(await rescheduleMessage(db, app.org_id, id, undefined)).toBe(false)
  })
})

describe('a message ends', () => {
  it.each([
    ['sent', ['accepted']],
    ['failed', ['failed']],
    ['partially_failed', ['accepted', 'failed']],
  ] as const)('%s, when all recipients were %j', async (status, outcomes) => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 2)
    await addSubscriptions(db, app, 1, { provider: 'apns' })
    const id = await addMessage(app)
    for (const outcome of outcomes) {
      await step(id, 2)
      expect(await completeMessages(db, [id])).toEqual([])
      await settleAll(db, id, outcome)
    }
    await expand(id)
    await settleAll(db, id, outcomes[0])
    await completeMessages(db, [id])
    expect(await messageOf(db, id)).toMatchObject({ status, recipients: 3 })
    expect(await completeMessages(db, [id])).toEqual([])
  })

  it('only after all its recipients exist', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 4)
    const id = await addMessage(app)
    await step(id, 2)
    await settleAll(db, id, 'accepted')
    expect(await completeMessages(db, [id])).toEqual([])
    expect(await messageOf(db, id)).toMatchObject({ status: 'sending', completed_at: null })
  })

  it('also when the last two batches are settled concurrently', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 150)
    const id = await addMessage(app)
    await expand(id)
    const settle = async ({ first_id }: { first_id: string }) =>
      await db.transaction().execute(async (tx) => {
        await sql`update push_messages set accepted = accepted + 75 where id = ${id}`.execute(tx)
        await sql`
          delete from push_batches where message_id = ${id} and first_id = ${first_id}`.execute(tx)
        return await completeMessages(tx, [id])
      })
    const ended = await Promise.all((await batchesOf(db, id)).map(settle))
    expect(ended.flat()).toEqual([id])
    expect(await messageOf(db, id)).toMatchObject({ status: 'sent', accepted: 150 })
  })
})
