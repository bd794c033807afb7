import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  ACCEPTED,
  addBacklog,
  clearPush,
  type FakeSend,
  fakeSenders,
  letPushPass,
  listMiscounted,
  startPushDispatcher,
} from '../../../../test/support/push-dispatch.ts'
import { messageOf } from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import type { CredentialCache } from '../credentials/credential-cache.ts'
import type { SendResult } from '../providers/port.ts'

const db = ownDatabase()

const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
  await clearPush(db)
})

function start(
  send: FakeSend,
  given: { in_flight_max?: number; credentialCache?: CredentialCache } = {},
) {
  const order: string[] = []
  const senders = fakeSenders(async (message, signal) => {
    order.push(message.message_id)
    return await send(message, signal)
  })
  const dispatcher = startPushDispatcher(db, { senders, ...given })
  running.push(dispatcher)
  return { dispatcher, order, countOf: (id: string) => order.filter((each) => each === id).length }
}

const until = async (check: () => unknown) => await vi.waitFor(check, { timeout: 50_000 })
const isDone = async (id: string, status = 'sent') =>
  await until(async () => expect((await messageOf(db, id)).status).toBe(status))
const credentialsOf = async (application_id: string) =>
  await db
    .selectFrom('push_credentials')
    .selectAll()
    .where('application_id', '=', application_id)
    .where('provider', '=', 'fcm')
    .executeTakeFirstOrThrow()

describe('a broadcast to thousands', () => {
  it('lets a single message of another app through within a few claims', async () => {
    const broadcast = await addBacklog(db, 3000)
    const accept: FakeSend = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return ACCEPTED
    }
    const { dispatcher, order, countOf } = start(accept, { in_flight_max: 200 })
    await until(() => expect(order.length).toBeGreaterThan(300))
    const sentBefore = order.length
    const single = await addBacklog(db, 1)
    dispatcher.hint()
    await isDone(single.message_id)
    // A small multiple of the number under way.
    expect(order.indexOf(single.message_id)).toBeLessThan(sentBefore + 10 * 200)
    await isDone(broadcast.message_id)
    expect(countOf(broadcast.message_id)).toBe(3000)
    expect(await listMiscounted(db)).toEqual([])
  })

  it('does not hold up a small message of the same app', async () => {
    const broadcast = await addBacklog(db, 3000)
    const few = await addBacklog(db, 2, { app: broadcast, target: 'subscription_ids' })
    const { order } = start(() => Promise.resolve(ACCEPTED), { in_flight_max: 200 })
    await isDone(few.message_id)
    expect(order.indexOf(few.message_id)).toBeLessThan(200)
  })

  it('leaves a quarter of the capacity to others even if its provider hangs', async () => {
    const hung = await addBacklog(db, 1000)
    const { countOf } = start(
      ({ message_id }, signal) =>
        new Promise((resolve) => {
          if (message_id !== hung.message_id) resolve(ACCEPTED)
          const stopped = { kind: 'retry', reason: 'stopped', is_ambiguous: false } as const
          signal.addEventListener('abort', () => resolve(stopped))
        }),
      { in_flight_max: 40 },
    )
    await until(() => expect(countOf(hung.message_id)).toBe(30))
    const well = await addBacklog(db, 100)
    await isDone(well.message_id)
    expect(countOf(hung.message_id)).toBe(30)
  })
})

describe('a rejection or rate limit of one app', () => {
  const answering = (result: SendResult, troubled: () => string) => ({
    send: (({ message_id }) =>
      Promise.resolve(message_id === troubled() ? result : ACCEPTED)) satisfies FakeSend,
  })

  it.each<[string, SendResult]>([
    ['throttles', { kind: 'throttled', scope: 'application', retry_after_s: 60 }],
    ['is unavailable', { kind: 'retry', reason: 'UNAVAILABLE', is_ambiguous: false }],
    [
      'rejects its credential',
      { kind: 'credential_rejected', reason: 'x', safe_text: 'Check it.' },
    ],
  ])('(the provider %s) does not stop any other', async (_name, result) => {
    const troubled = await addBacklog(db, 2000)
    const { send } = answering(result, () => troubled.message_id)
    const { dispatcher, countOf } = start(send, { in_flight_max: 100 })
    await until(async () => {
      const { paused_until, status } = await credentialsOf(troubled.application_id)
      expect(paused_until !== null || status === 'needs_attention').toBe(true)
    })
    const well = await addBacklog(db, 300)
    dispatcher.hint()
    await isDone(well.message_id)
    expect(await listMiscounted(db)).toEqual([])
    expect(await messageOf(db, troubled.message_id)).toMatchObject({ accepted: 0, failed: 0 })
    expect(countOf(troubled.message_id)).toBeLessThan(400)
  })

  it('holds back its messages until the credential is replaced, and loses none', async () => {
    const troubled = await addBacklog(db, 50)
    const rejected = { kind: 'credential_rejected', reason: 'x', safe_text: 'Check it.' } as const
    const { send } = answering(rejected, () => (isWell ? '' : troubled.message_id))
    let isWell = false
    const { dispatcher } = start(send)
    await until(async () =>
      expect(await credentialsOf(troubled.application_id)).toMatchObject({
        status: 'needs_attention',
        error: 'Check it.',
      }),
    )
    isWell = true
    await sql`update push_credentials set status = 'test_required', error = null`.execute(db)
    dispatcher.hint()
    await isDone(troubled.message_id)
    expect((await credentialsOf(troubled.application_id)).status).toBe('active')
    const attempts = await db.selectFrom('push_recipients').select('attempts').execute()
    expect(new Set(attempts.map((row) => row.attempts))).toEqual(new Set([1]))
  })

  it('is followed by a few attempts after the pause, and by all once one is accepted', async () => {
    const troubled = await addBacklog(db, 1000)
    let isWell = false
    const { dispatcher, countOf } = start(() =>
      Promise.resolve(
        isWell ? ACCEPTED : { kind: 'retry', reason: 'unreachable', is_ambiguous: false },
      ),
    )
    await until(async () =>
      expect((await credentialsOf(troubled.application_id)).pauses).toBeGreaterThan(0),
    )
    await dispatcher.stop(0)
    const before = countOf(troubled.message_id)
    await sql`update push_credentials set paused_until = now()`.execute(db)
    const second = start(() =>
      Promise.resolve(
        isWell ? ACCEPTED : { kind: 'retry', reason: 'unreachable', is_ambiguous: false },
      ),
    )
    await until(async () =>
      expect((await credentialsOf(troubled.application_id)).pauses).toBeGreaterThan(1),
    )
    expect(second.countOf(troubled.message_id)).toBeLessThanOrEqual(40)
    expect(before).toBeGreaterThan(0)
    isWell = true
    await letPushPass(db, 900_000)
    second.dispatcher.hint()
    await isDone(troubled.message_id)
    expect(await credentialsOf(troubled.application_id)).toMatchObject({
      status: 'active',
      pauses: 0,
      paused_until: null,
    })
  })
})

it('a credential that cannot be opened needs attention and does not affect others', async () => {
  const broken = await addBacklog(db, 3)
  const well = await addBacklog(db, 3)
  const account = { project_id: '', client_email: '', private_key_id: '', private_key: '' }
  const credentialCache: CredentialCache = {
    open: ({ application_id }) =>
      Promise.resolve(
        application_id === broken.application_id ? undefined : { provider: 'fcm', account },
      ),
  }
  start(() => Promise.resolve(ACCEPTED), { credentialCache })
  await isDone(well.message_id)
  await until(async () =>
    expect(await credentialsOf(broken.application_id)).toMatchObject({
      status: 'needs_attention',
      error: expect.stringMatching(/cannot be opened/) as string,
    }),
  )
  expect(await messageOf(db, broken.message_id)).toMatchObject({ status: 'sending', failed: 0 })
})
