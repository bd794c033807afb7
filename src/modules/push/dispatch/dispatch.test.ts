import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  ACCEPTED,
  addBacklog,
  addPushApp,
  addPushMessage,
  addPushSubscriptions,
  clearPush,
  endPushLeases,
  type FakeSend,
  fakeSenders,
  letPushPass,
  listMiscounted,
  someTokens,
  startPushDispatcher,
} from '../../../../test/support/push-dispatch.ts'
import { messageOf, recipientsOf } from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import type { PushMessage, SendResult } from '../providers/port.ts'
import { recipientIdOf } from '../recipient-id.ts'
import type { PushDispatchOptions } from './dispatch.ts'

const db = ownDatabase()

const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
  await clearPush(db)
})

/** A dispatcher with a fake provider, and the notifications that were sent to it. */
function start(answer: FakeSend, given: Partial<PushDispatchOptions> = {}) {
  const sent: PushMessage[] = []
  const verdicts: string[] = []
  const senders = fakeSenders(async (message, signal) => {
    sent.push(message)
    return await answer(message, signal)
  })
  const observe = (outcome: string) => verdicts.push(outcome)
  const dispatcher = startPushDispatcher(db, { senders, observe, ...given })
  running.push(dispatcher)
  return { dispatcher, sent, verdicts, tokens: () => sent.map(({ token }) => token) }
}

const accept: FakeSend = () => Promise.resolve(ACCEPTED)

/** A provider whose requests stay open until the test answers them or they are aborted. */
function hanging(stopped: SendResult = { kind: 'retry', reason: 'stopped', is_ambiguous: false }) {
  const waiting: { token: string; answer: (result: SendResult) => void }[] = []
  const send: FakeSend = ({ token }, signal) =>
    new Promise((resolve) => {
      waiting.push({ token, answer: resolve })
      signal.addEventListener('abort', () => resolve(stopped))
    })
  return { waiting, send }
}

const until = async (check: () => unknown) => await vi.waitFor(check, { timeout: 15_000 })
const isDone = async (id: string, status: string) =>
  await until(async () => expect((await messageOf(db, id)).status).toBe(status))
const allWell = async () => expect(await listMiscounted(db)).toEqual([])

describe('a message', () => {
  it('goes to every recipient once, under separate ids, and is then sent', async () => {
    const { message_id, ids, tokens } = await addBacklog(db, 250)
    const { sent } = start(accept)
    await isDone(message_id, 'sent')
    expect(sent.map(({ token }) => token).toSorted()).toEqual(tokens.toSorted())
    expect(new Set(sent.map(({ recipient_id }) => recipient_id))).toEqual(
      new Set(ids.map((id) => recipientIdOf(message_id, id))),
    )
    expect(await messageOf(db, message_id)).toMatchObject({ accepted: 250, failed: 0 })
    const recipients = await recipientsOf(db, message_id)
    expect(recipients[0]).toMatchObject({
      status: 'accepted',
      attempts: 1,
      reason: null,
      provider_id: 'projects/p/messages/1',
      settled_at: expect.any(Date) as Date,
    })
    await allWell()
  })

  it('ends in a status that reflects its recipients', async () => {
    const app = await addPushApp(db)
    const none = await addBacklog(db, 3, { app, content: { title: 'none' } })
    const some = await addBacklog(db, 3, { app, content: { title: 'some' } })
    start(({ title, token }) =>
      Promise.resolve(
        title === 'none' || token === some.tokens[0]
          ? { kind: 'message_rejected', reason: 'TooOdd' }
          : ACCEPTED,
      ),
    )
    await isDone(none.message_id, 'failed')
    await isDone(some.message_id, 'partially_failed')
    await allWell()
  })

  it('that has expired is no longer sent', async () => {
    const content = { title: 'Now', ttl_seconds: 60 }
    const late = await addBacklog(db, 2, { content, sent_s_ago: 61 })
    const early = await addBacklog(db, 2, { content, sent_s_ago: 20 })
    const now = await addBacklog(db, 1, {
      content: { title: 'Immediate', ttl_seconds: 0 },
      sent_s_ago: 61,
    })
    const { sent } = start(accept)
    await isDone(late.message_id, 'failed')
    await isDone(early.message_id, 'sent')
    await isDone(now.message_id, 'sent')
    expect((await recipientsOf(db, late.message_id))[0]).toMatchObject({
      reason: 'expired',
      attempts: 0,
    })
    const left = sent.flatMap(({ ttl_seconds, title }) => (title === 'Now' ? [ttl_seconds] : []))
    expect(left).toHaveLength(2)
    for (const seconds of left) expect(seconds).toBeLessThanOrEqual(40)
    expect(sent.find(({ title }) => title === 'Immediate')?.ttl_seconds).toBe(0)
    await allWell()
  })

  it('to users does not go to devices whose user has signed out or changed', async () => {
    const app = await addPushApp(db)
    const [stays, leaves, changes] = await addPushSubscriptions(db, app, someTokens(3), {
      user: 'u1',
    })
    const ids = [stays ?? '', leaves ?? '', changes ?? '']
    const id = await addPushMessage(db, app, ids, {
      target: 'external_user_ids',
      target_ids: ['u1', 'u2'],
    })
    await sql`update push_subscriptions set external_user_id = null where id = ${leaves}`.execute(
      db,
    )
    await sql`update push_subscriptions set external_user_id = 'u3' where id = ${changes}`.execute(
      db,
    )
    start(accept)
    await isDone(id, 'partially_failed')
    const recipients = await recipientsOf(db, id)
    const reasonOf = (which: string | undefined) =>
      recipients.find(({ subscription_id }) => subscription_id === which)?.reason
    expect([stays, leaves, changes].map(reasonOf)).toEqual([null, 'signed_out', 'signed_out'])
    await allWell()
  })

  it('is not sent to subscriptions that are no longer reachable', async () => {
    const { message_id, ids } = await addBacklog(db, 4)
    await sql`update push_subscriptions set permission = 'denied' where id = ${ids[0]}`.execute(db)
    await sql`update push_subscriptions set invalidated_at = now(), invalid_reason = 'x'
      where id = ${ids[1]}`.execute(db)
    await sql`delete from push_subscriptions where id = ${ids[2]}`.execute(db)
    const { sent } = start(accept)
    await isDone(message_id, 'partially_failed')
    expect(sent).toHaveLength(1)
    const reasons = (await recipientsOf(db, message_id)).map(({ reason }) => reason)
    expect(reasons).toEqual(['unreachable', 'unreachable', 'unreachable', null])
  })

  it('that was canceled goes only to claimed recipients, and still counts their outcomes', async () => {
    const { message_id } = await addBacklog(db, 1000)
    const { waiting, send } = hanging()
    const { verdicts } = start(send, { in_flight_max: 40 })
    await until(() => expect(waiting).toHaveLength(30))
    await sql`delete from push_batches`.execute(db)
    await sql`update push_messages set status = 'cancelled', completed_at = now()`.execute(db)
    for (let answered = 0; answered < waiting.length; answered += 1) {
      waiting[answered]?.answer(ACCEPTED)
      await until(() => expect(verdicts).toHaveLength(answered + 1))
    }
    expect(waiting.length).toBeLessThan(300)
    expect(await messageOf(db, message_id)).toMatchObject({
      status: 'cancelled',
      accepted: waiting.length,
    })
    await allWell()
  })
})

describe('a failed attempt', () => {
  it('is repeated when it is due, and not before', async () => {
    const { message_id } = await addBacklog(db, 3)
    let isAway = true
    const { sent, dispatcher } = start(() =>
      Promise.resolve(
        isAway ? { kind: 'retry', reason: 'INTERNAL', is_ambiguous: false } : ACCEPTED,
      ),
    )
    await until(async () =>
      expect((await recipientsOf(db, message_id)).map(({ attempts }) => attempts)).toEqual([
        1, 1, 1,
      ]),
    )
    const [recipient] = await recipientsOf(db, message_id)
    expect(recipient).toMatchObject({ status: 'pending', reason: 'INTERNAL' })
    expect(sent).toHaveLength(3)
    isAway = false
    await letPushPass(db, 12_001)
    dispatcher.hint()
    await isDone(message_id, 'sent')
    expect(sent).toHaveLength(6)
    expect(new Set(sent.map(({ recipient_id }) => recipient_id)).size).toBe(3)
    await allWell()
  })

  it('of one recipient does not hold up the others of its batch', async () => {
    const { message_id, tokens } = await addBacklog(db, 50)
    const { dispatcher } = start(({ token }) =>
      Promise.resolve(
        token === tokens[7] ? { kind: 'throttled', scope: 'device', retry_after_s: 60 } : ACCEPTED,
      ),
    )
    await until(async () => expect(await messageOf(db, message_id)).toMatchObject({ accepted: 49 }))
    dispatcher.hint()
    await allWell()
    expect((await messageOf(db, message_id)).status).toBe('sending')
  })
})

describe('a process that is stopped', () => {
  it('leaves the rest to the next process, and nothing is sent twice', async () => {
    const { message_id, tokens } = await addBacklog(db, 300)
    const first = hanging()
    const one = start(first.send, { in_flight_max: 200 })
    await until(() => expect(first.waiting.length).toBeGreaterThan(90))
    for (const { answer } of first.waiting.slice(0, 40)) answer(ACCEPTED)
    await one.dispatcher.stop(0)
    const taken = await db
      .selectFrom('push_recipients')
      .select('attempts')
      .where('status', '=', 'accepted')
      .execute()
    expect(taken).toHaveLength(40)
    expect(await db.selectFrom('push_batches').select('lease_id').execute()).toEqual(
      Array.from({ length: 3 }, () => ({ lease_id: null })),
    )
    const two = start(accept)
    await isDone(message_id, 'sent')
    const accepted = [...first.waiting.slice(0, 40).map(({ token }) => token), ...two.tokens()]
    expect(accepted.toSorted()).toEqual(tokens.toSorted())
    expect(two.verdicts).not.toContain('repeated')
    await allWell()
  })

  it('leaves aborted attempts in doubt, and these are repeated once', async () => {
    const { message_id } = await addBacklog(db, 2)
    const stopped = { kind: 'retry', reason: 'stopped', is_ambiguous: true } as const
    for (let stop = 0; stop < 2; stop += 1) {
      const { waiting, send } = hanging(stopped)
      const { dispatcher } = start(send)
      await until(() => expect(waiting).toHaveLength(2))
      await dispatcher.stop(0)
    }
    expect(await messageOf(db, message_id)).toMatchObject({ status: 'failed', failed: 2 })
    expect((await recipientsOf(db, message_id))[0]).toMatchObject({ reason: 'no_answer' })
    await allWell()
  })
})

describe('a process that is killed', () => {
  it('loses nothing: its recipients are sent to again under the same ids, and reported as repeated', async () => {
    const { message_id, ids } = await addBacklog(db, 5)
    // Leased by a process that no longer exists.
    await sql`update push_batches set lease_id = ${randomUUID()}::uuid,
      leased_until = now() + interval '1 hour'`.execute(db)
    const { sent, verdicts, dispatcher } = start(accept)
    const other = await addBacklog(db, 1)
    await isDone(other.message_id, 'sent')
    expect(sent).toHaveLength(1)
    await endPushLeases(db)
    dispatcher.hint()
    await isDone(message_id, 'sent')
    expect(
      sent
        .slice(1)
        .map(({ recipient_id }) => recipient_id)
        .toSorted(),
    ).toEqual(ids.map((id) => recipientIdOf(message_id, id)).toSorted())
    expect(verdicts.filter((outcome) => outcome === 'repeated')).toHaveLength(5)
    await allWell()
  })

  it('that is only slow records acceptances even if another process has sent again', async () => {
    const { message_id } = await addBacklog(db, 4)
    const slow = hanging()
    start(slow.send)
    await until(() => expect(slow.waiting).toHaveLength(4))
    await endPushLeases(db)
    const again = hanging()
    start(again.send)
    await until(() => expect(again.waiting).toHaveLength(4))
    slow.waiting[0]?.answer(ACCEPTED)
    slow.waiting[1]?.answer({ kind: 'message_rejected', reason: 'Odd' })
    slow.waiting[2]?.answer({ kind: 'retry', reason: 'INTERNAL', is_ambiguous: false })
    await until(async () => expect(await messageOf(db, message_id)).toMatchObject({ accepted: 1 }))
    expect((await messageOf(db, message_id)).failed).toBe(0)
    for (const { answer } of again.waiting) answer(ACCEPTED)
    await isDone(message_id, 'sent')
    slow.waiting[3]?.answer(ACCEPTED)
    expect(await messageOf(db, message_id)).toMatchObject({ accepted: 4, failed: 0 })
    await allWell()
  })
})

it('a process that took over does not send what a slow process has settled', async () => {
  const { message_id } = await addBacklog(db, 10)
  const slow = hanging()
  start(slow.send)
  await until(() => expect(slow.waiting).toHaveLength(10))
  const other = hanging()
  const { verdicts } = start(other.send, { in_flight_max: 2 })
  await until(async () => {
    // Again, if the slow process was the first to claim the batch.
    if (other.waiting.length === 0) await endPushLeases(db)
    expect(other.waiting).toHaveLength(2)
  })
  for (const { answer } of slow.waiting) answer(ACCEPTED)
  await until(async () => expect(await messageOf(db, message_id)).toMatchObject({ accepted: 10 }))
  for (const { answer } of other.waiting) answer(ACCEPTED)
  await isDone(message_id, 'sent')
  expect(other.waiting).toHaveLength(2)
  expect(verdicts.filter((outcome) => outcome === 'repeated')).toHaveLength(2)
  await allWell()
})

describe('two processes', () => {
  it('send everything once', async () => {
    const backlogs = [
      await addBacklog(db, 700),
      await addBacklog(db, 300, { provider: 'apns' }),
      await addBacklog(db, 40, { batch_size: 1, target: 'subscription_ids' }),
    ]
    const one = start(accept, { in_flight_max: 100 })
    const two = start(accept, { in_flight_max: 100 })
    for (const { message_id } of backlogs) await isDone(message_id, 'sent')
    const tokens = [...one.tokens(), ...two.tokens()]
    expect(tokens.toSorted()).toEqual(backlogs.flatMap((each) => each.tokens).toSorted())
    expect(one.sent.length).toBeGreaterThan(0)
    expect(two.sent.length).toBeGreaterThan(0)
    await allWell()
  })
})

describe('an outcome that cannot be written', () => {
  it('does not affect the others', async () => {
    const { message_id, ids } = await addBacklog(db, 60)
    const poisoned = ids[11]
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'poisoned' using errcode = '22000'; end $$`.execute(db)
    await sql`create trigger poison before update on push_recipients for each row
      when (new.subscription_id = ${sql.lit(poisoned)}::uuid and new.status = 'accepted')
      execute function refuse()`.execute(db)
    start(accept)
    await until(async () => expect(await messageOf(db, message_id)).toMatchObject({ accepted: 59 }))
    await sql`drop trigger poison on push_recipients`.execute(db)
    await allWell()
    expect((await messageOf(db, message_id)).status).toBe('sending')
  })
})
