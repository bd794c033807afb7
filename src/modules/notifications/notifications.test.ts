import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkSignature } from '../../../emulators/receiver-signature.ts'
import { type SmtpEmulator, startSmtp } from '../../../emulators/smtp.ts'
import { ownDatabase } from '../../../test/database.ts'
import { addDevices, managedDevice } from '../../../test/support/mdm.ts'
import { createIds, timeOfId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createMailer } from '../../platform/mail/mailer.ts'
import type { GuardedRequest } from '../../platform/net/guarded-post.ts'
import type { Outcome } from '../../platform/net/post-outcome.ts'
import { signedHeaders } from '../webhooks/signature.ts'
import { createNotificationDispatcher, type NotificationDispatchOptions } from './dispatch.ts'
import { acknowledge } from './history.store.ts'
import { type NewNotification, notify, resolveNotifications } from './notify.store.ts'
import { routeDue } from './router.ts'
import type { PushRequest } from './sending/send.ts'
import { CHANNEL_KINDS, type ChannelKind, type Item, type NotificationTables } from './tables.ts'
import { createNotificationWatch } from './watch.ts'

const db = ownDatabase()
const newId = createIds()
const NOW = new Date()
const CLOCK = { now: () => NOW }

let smtp: SmtpEmulator
beforeAll(async () => {
  smtp = await startSmtp()
})
afterAll(async () => await smtp.close())

type Dispatcher = ReturnType<typeof createNotificationDispatcher>
const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
  await sql`truncate notifications, notification_messages, notification_channels,
    notification_routes, notification_progress`.execute(db)
})

type Channel = NotificationTables['notification_channels']
type Route = NotificationTables['notification_routes']

async function addChannel(org_id: string, given: Partial<Channel> = {}): Promise<Channel> {
  const secret = { url: 'https://hooks.example/1', secret: 'whsec_x', routing_key: 'R1' }
  const channel: Channel = {
    org_id,
    id: newId(NOW),
    user_id: null,
    browser_of: null,
    kind: 'slack',
    name: 'Ops',
    config: {},
    sealed: JSON.stringify(secret),
    per_hour_max: 60,
    verified_at: null,
    failing_since: null,
    last_error: null,
    created_at: NOW,
    updated_at: NOW,
    ...given,
  }
  await db.insertInto('notification_channels').values(channel).execute()
  return channel
}

async function addRoute(org_id: string, channels: readonly Channel[], given: Partial<Route> = {}) {
  const route: Route = {
    org_id,
    id: newId(NOW),
    user_id: null,
    subject: null,
    rule_id: null,
    channel_ids: channels.map(({ id }) => id),
    min_severity: 'notice',
    repeat_minutes: 0,
    quiet_hours: null,
    muted_until: null,
    updated_at: NOW,
    ...given,
  }
  await db.insertInto('notification_routes').values(route).execute()
}

async function routed(given: Partial<Channel> = {}, route: Partial<Route> = {}) {
  const org_id = randomUUID()
  const channel = await addChannel(org_id, given)
  await addRoute(org_id, [channel], route)
  return { org_id, channel }
}

const fire = async (org_id: string, given: Partial<NewNotification> = {}) =>
  await notify(db, [
    {
      org_id,
      subject: 'log_alert',
      key: 'till',
      severity: 'critical',
      is_lasting: true,
      title: 'Receipts are <not> printed',
      detail: '12 logs in 5 minutes',
      link: '/logs/alerts',
      started_at: NOW,
      ...given,
    },
  ])
const resolve = async (org_id: string, key = 'till') =>
  await resolveNotifications(db, [{ org_id, subject: 'log_alert', key, resolved_at: NOW }])

const messages = async () =>
  await db.selectFrom('notification_messages').selectAll().orderBy('id').execute()
const told = async () =>
  (await messages()).map(({ items, hold }) => [
    hold,
    items.map(({ step, title }: Item) => `${step} ${title}`).join(', '),
  ])

type Post = NotificationDispatchOptions['post']

function start(post: Post, given: Partial<NotificationDispatchOptions> = {}) {
  const verdicts: string[] = []
  const dispatcher = createNotificationDispatcher({
    db,
    directory: db,
    // The stored secrets of these channels are not sealed.
    sealer: { open: (sealed) => Promise.resolve(Buffer.from(sealed)) },
    newId,
    clock: CLOCK,
    log: createLog('silent'),
    post,
    sign: signedHeaders,
    mailer: createMailer({ url: smtp.url, from: 'Vigil <vigil@example.com>' }),
    pagesOf: (orgId) => `https://vigil.example/console/o/${orgId}`,
    push: () => Promise.reject(new Error('no application')),
    poll_ms: 10,
    observe: (verdict) => verdicts.push(verdict),
    ...given,
  })
  running.push(dispatcher)
  dispatcher.start()
  return { verdicts, dispatcher }
}

const answered = (status: number, body_start = 'ok'): Outcome => ({
  kind: 'answered',
  status,
  body_start,
  latency_ms: 3,
  retry_after: null,
})
const recording = (status = 200) => {
  const sent: GuardedRequest[] = []
  const post: Post = (request) => {
    sent.push(request)
    return Promise.resolve(answered(status))
  }
  return { sent, post }
}
const until = async (check: () => unknown) => await vi.waitFor(check, { timeout: 10_000 })
const bodyOf = (request: GuardedRequest | undefined) =>
  JSON.parse(String(request?.body ?? '{}')) as Record<string, unknown>
const makeDue = async () =>
  await sql`update notification_messages set due_at = now() where due_at is not null`.execute(db)

describe('a notification', () => {
  it('is committed or undone with its cause, and reported once while it lasts', async () => {
    const { org_id } = await routed()
    const failing = db.transaction().execute(async (tx) => {
      await notify(tx, [{ ...NOTICE, org_id }])
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await routeDue(db, newId)).toBe(false)
    expect([await fire(org_id), await fire(org_id), await fire(org_id, { key: 'other' })]).toEqual([
      1, 0, 1,
    ])
    expect([await resolve(org_id), await resolve(org_id)]).toEqual([1, 0])
    expect(await fire(org_id)).toBe(1)
  })

  it('is notified on several nodes once, with those of its subject in one message', async () => {
    const { org_id } = await routed()
    for (const key of ['a', 'b', 'c']) await fire(org_id, { key, title: 'Fires' })
    await Promise.all([routeDue(db, newId), routeDue(db, newId), routeDue(db, newId)])
    await routeDue(db, newId)
    expect(await told()).toEqual([[null, 'started Fires, started Fires, started Fires']])
  })

  it('that follows within a minute waits with others, and its end with it', async () => {
    const { org_id } = await routed()
    for (const key of ['a', 'b', 'c']) {
      await fire(org_id, { key, title: key })
      await routeDue(db, newId)
    }
    await resolve(org_id, 'b')
    await routeDue(db, newId)
    expect(await told()).toEqual([
      [null, 'started a'],
      ['grouping', 'started b, started c, resolved b'],
    ])
  })

  it('waits where the channel was sent as many in the hour as it may be', async () => {
    const { org_id } = await routed({ per_hour_max: 2 })
    for (const subject of ['log_alert', 'key_rolled', 'credits_low', 'device_silent'] as const) {
      await fire(org_id, { subject, title: subject })
      await routeDue(db, newId)
    }
    expect(await told()).toEqual([
      [null, 'started log_alert'],
      [null, 'started key_rolled'],
      ['limit', 'started credits_low, started device_silent'],
    ])
  })

  it('is repeated until it is acknowledged, and resolved for those who were notified', async () => {
    const { org_id } = await routed({}, { repeat_minutes: 30 })
    await fire(org_id)
    await routeDue(db, newId)
    const pass = async () => {
      await sql`update notifications set due_at = now()`.execute(db)
      await sql`update notification_messages set created_at = now() - interval '2 minutes'`.execute(
        db,
      )
      await routeDue(db, newId)
    }
    await pass()
    const { id } = await db.selectFrom('notifications').select('id').executeTakeFirstOrThrow()
    await acknowledge(db, org_id, id, { user_id: randomUUID(), at: NOW })
    await pass()
    await resolve(org_id)
    await pass()
    expect((await messages()).map(({ step }) => step)).toEqual(['started', 'repeated', 'resolved'])
  })

  it('that ends is sent after its start, also where a later run reads an earlier clock', async () => {
    const { org_id } = await routed({ kind: 'pagerduty' })
    await fire(org_id)
    await routeDue(db, newId)
    const hour = 3_600_000
    for (const step of [1, 2]) {
      const ahead = new Date(Date.now() + step * hour)
      await db.updateTable('notification_progress').set({ until: ahead }).execute()
      await (step === 1 ? resolve(org_id) : fire(org_id))
      await routeDue(db, newId)
      const last = (await messages()).at(-1)
      expect(timeOfId(last?.id ?? '').getTime()).toBe(ahead.getTime() + 1)
      // It is sent now, although the time of its id is later.
      expect(last?.due_at?.getTime()).toBeLessThan(ahead.getTime())
    }
    const steps = (await messages()).map(({ step }) => step)
    expect(steps).toEqual(['started', 'resolved', 'started'])
  })

  it('goes to no channel of another organization, and to none where no route applies', async () => {
    const [one, other] = [await routed(), await routed({}, { min_severity: 'critical' })]
    await addRoute(one.org_id, [other.channel], { subject: 'key_rolled' })
    await fire(one.org_id, { subject: 'key_rolled' })
    await fire(other.org_id, { severity: 'warning' })
    await routeDue(db, newId)
    expect(await told()).toEqual([])
  })
})

const NOTICE: Omit<NewNotification, 'org_id'> = {
  subject: 'key_rolled',
  key: 'k1',
  severity: 'notice',
  is_lasting: false,
  title: 'An API key was rolled',
  link: '/developers/keys',
  started_at: NOW,
}

describe('a message', () => {
  it('to Slack and Teams has a title and a link, without signs that they would interpret', async () => {
    const { org_id } = await routed()
    const teams = await addChannel(org_id, { kind: 'teams' })
    await addRoute(org_id, [teams], { user_id: randomUUID() })
    const { post, sent } = recording()
    await fire(org_id)
    start(post)
    await until(() => expect(sent).toHaveLength(2))
    const url = `https://vigil.example/console/o/${org_id}/logs/alerts`
    const bodies = sent.map(bodyOf)
    expect(bodies.find(({ text }) => text !== undefined)).toMatchObject({
      text: 'Receipts are &lt;not&gt; printed',
      attachments: [{ text: `<${url}|Receipts are &lt;not&gt; printed>\n12 logs in 5 minutes` }],
    })
    expect(bodies.find(({ type }) => type === 'message')).toMatchObject({
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { actions: [{ url }], body: [{ text: 'Receipts are <not\\> printed' }, {}] },
        },
      ],
    })
  })

  it('to PagerDuty opens and resolves one incident each, under one key', async () => {
    const { org_id } = await routed({ kind: 'pagerduty' })
    const { post, sent } = recording(202)
    await fire(org_id)
    await fire(org_id, { key: 'other', severity: 'warning' })
    await routeDue(db, newId)
    await resolve(org_id)
    start(post)
    await until(() => expect(sent).toHaveLength(3))
    // Incidents have no order among each other.
    const bodies = sent.map(bodyOf)
    const triggered = (severity: string) =>
      bodies.find(({ payload }) => (payload as { severity?: string })?.severity === severity)
    const till = triggered('critical')
    expect(till).toMatchObject({ event_action: 'trigger', routing_key: 'R1' })
    expect(triggered('warning')).toMatchObject({ event_action: 'trigger' })
    expect(triggered('warning')?.['dedup_key']).not.toBe(till?.['dedup_key'])
    const ofTill = bodies.filter(({ dedup_key }) => dedup_key === till?.['dedup_key'])
    expect(ofTill).toMatchObject([{ event_action: 'trigger' }, { event_action: 'resolve' }])
  })

  it('about 40 devices is one for each channel, and one incident of PagerDuty for each device', async () => {
    const devices = 40
    const org_id = randomUUID()
    const channels = await Promise.all(
      CHANNEL_KINDS.map((kind) => {
        const secret = { url: `https://${kind}.example/`, secret: 'whsec_x', routing_key: 'R1' }
        const config = kind === 'email' ? { to: ['fleet@example.com'] } : {}
        return addChannel(org_id, { kind, name: kind, config, sealed: JSON.stringify(secret) })
      }),
    )
    await addRoute(org_id, channels)
    const fleet = Array.from({ length: devices }, (_, n) =>
      managedDevice({ org_id, name: `Till ${n}`, compliance_state: 'non_compliant' }),
    )
    await addDevices(db, fleet)
    const watch = createNotificationWatch({
      db,
      directory: db,
      isAnalyticsAvailable: () => Promise.resolve(true),
    })
    const { post, sent } = recording()
    const pushed: PushRequest[] = []
    const push: NotificationDispatchOptions['push'] = (_org, key, request) => {
      pushed.push(request)
      return Promise.resolve({ message_id: key })
    }
    const { verdicts, dispatcher } = start(post, { push })
    const sentTo = (kind: ChannelKind) =>
      sent.filter(({ url }) => url === `https://${kind}.example/`).map(bodyOf)
    const mails = () => smtp.received.filter(({ to }) => to.includes('fleet@example.com'))
    const title = '40 managed devices do not comply with their policy'
    await watch.minutely(NOW)
    dispatcher.hint()
    await until(() => expect(verdicts).toHaveLength(CHANNEL_KINDS.length - 1 + devices))
    expect(new Set(verdicts)).toEqual(new Set(['accepted']))
    expect(mails()).toMatchObject([{ subject: title }])
    expect(mails()[0]?.raw).toContain('20 more')
    expect(sentTo('slack')).toMatchObject([{ text: title }])
    expect(sentTo('teams')).toMatchObject([{ type: 'message' }])
    const [signed, ...more] = sentTo('webhook')
    expect(more).toEqual([])
    const data = signed?.['data'] as { notifications: Item[] } | undefined
    expect(new Set(data?.notifications.map((each) => each.title)).size).toBe(devices)
    expect(pushed).toMatchObject([{ title }])
    const incidents = sentTo('pagerduty')
    expect(incidents).toHaveLength(devices)
    expect(new Set(incidents.map(({ dedup_key }) => dedup_key)).size).toBe(devices)
    await watch.minutely(NOW)
    expect(await routeDue(db, newId)).toBe(false)
  })

  it('to a webhook is signed like the delivery of an event', async () => {
    const { org_id } = await routed({ kind: 'webhook' })
    const { post, sent } = recording()
    await fire(org_id)
    start(post)
    await until(() => expect(sent).toHaveLength(1))
    const [request] = sent
    const [message] = await messages()
    expect(request?.headers).toMatchObject({
      'x-service-delivery': message?.id,
      'x-service-event': 'notification',
    })
    const signature = checkSignature({
      header: request?.headers['x-service-signature'],
      body: Buffer.from(String(request?.body)),
      secrets: ['whsec_x'],
      tolerance_s: 300,
      now: NOW,
    })
    expect(signature).toBe('valid')
    expect(bodyOf(request)).toMatchObject({
      id: message?.id,
      type: 'notification',
      data: { severity: 'critical', notifications: [{ step: 'started', subject: 'log_alert' }] },
    })
  })

  it('by e-mail is text and HTML, and a repeated attempt has the same id', async () => {
    const to = `ops-${randomUUID()}@example.com`
    smtp.setScenario({ recipients: { [to]: { code: 451, message: 'Try later', times: 1 } } })
    const { org_id } = await routed({ kind: 'email', config: { to: [to] }, sealed: null })
    await fire(org_id)
    const { verdicts, dispatcher } = start(recording().post)
    await until(() => expect(verdicts).toEqual(['failed']))
    const [first] = await messages()
    expect(first).toMatchObject({ status: 'pending', attempts: 1, response_status: 451 })
    await makeDue()
    dispatcher.hint()
    await until(() => expect(verdicts).toEqual(['failed', 'accepted']))
    const mail = smtp.received.find((each) => each.to.includes(to))
    expect(mail).toMatchObject({
      subject: 'Receipts are <not> printed',
      message_id: `<${first?.id}@vigil.example>`,
    })
    expect(mail?.raw).toContain('text/html')
    expect(mail?.raw).toContain('Receipts are &#60;not&#62; printed')
    const [channel] = await db.selectFrom('notification_channels').selectAll().execute()
    expect(channel).toMatchObject({ failing_since: null, last_error: null })
    expect(channel?.verified_at).not.toBeNull()
  })

  it('to a person who is not a member any more fails at the first attempt', async () => {
    const { org_id } = await routed({ kind: 'email', user_id: randomUUID(), sealed: null })
    await fire(org_id)
    const { verdicts } = start(recording().post)
    await until(() => expect(verdicts).toEqual(['refused']))
    expect(await messages()).toMatchObject([
      { status: 'failed', error: 'The person is not a member any more' },
    ])
  })

  it.each([
    [404, 'refused', 'failed'],
    [429, 'failed', 'pending'],
    [500, 'failed', 'pending'],
  ])('answered %i is %s', async (status, verdict, stored) => {
    const { org_id } = await routed()
    await fire(org_id)
    const { verdicts } = start(recording(status).post)
    await until(() => expect(verdicts).toEqual([verdict]))
    const error = `Answered ${status}`
    expect(await messages()).toMatchObject([{ status: stored, response_body: 'ok', error }])
    const [channel] = await db.selectFrom('notification_channels').selectAll().execute()
    expect(channel).toMatchObject({ last_error: error, verified_at: null })
    expect(channel?.failing_since).not.toBeNull()
  })

  it('of a sender that died is sent again under its id, before later ones of the channel', async () => {
    const { org_id, channel } = await routed({ kind: 'webhook' })
    await fire(org_id)
    const { post, sent } = recording()
    const { verdicts } = start(async (request) => {
      const answer = await post(request)
      // The first attempt never ends, as if its process had died.
      if (sent.length > 1) return answer
      return await untilStopped(request)
    })
    await until(() => expect(sent).toHaveLength(1))
    await fire(org_id, { key: 'later', subject: 'credits_low', title: 'later' })
    await until(async () => expect(await messages()).toHaveLength(2))
    expect(sent).toHaveLength(1)
    await sql`update notification_messages set leased_until = now()
      where channel_id = ${channel.id} and leased_until is not null`.execute(db)
    await until(() => expect(verdicts).toEqual(['accepted', 'accepted']))
    const [first, second] = (await messages()).map(({ id }) => id)
    const ids = sent.map(({ headers }) => headers['x-service-delivery'])
    expect(ids).toEqual([first, first, second])
    expect((await messages()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  it('to a channel that hangs delays no other channel', async () => {
    const slow = await routed({ sealed: JSON.stringify({ url: 'https://slow.example/' }) })
    const quick = await routed()
    const { post, sent } = recording()
    await fire(slow.org_id)
    const { verdicts } = start(async (request) => {
      if (!request.url.includes('slow')) return await post(request)
      return await untilStopped(request)
    })
    for (let each = 0; each < 3; each += 1) {
      await fire(quick.org_id, { key: String(each), subject: KINDS[each] ?? 'logs_delayed' })
    }
    await until(() => expect(sent.length).toBeGreaterThanOrEqual(1))
    await until(() => expect(verdicts.length).toBe(sent.length))
    const waiting = (await messages()).filter(({ org_id }) => org_id === slow.org_id)
    expect(waiting).toMatchObject([{ status: 'pending', attempts: 1 }])
  })
})

const untilStopped = async ({ signal }: GuardedRequest): Promise<Outcome> =>
  await new Promise((done) => {
    if (signal?.aborted === true) done(STOPPED)
    signal?.addEventListener('abort', () => done(STOPPED))
  })
const STOPPED: Outcome = { kind: 'failed', reason: 'stopped', latency_ms: 1 }
const KINDS = ['log_alert', 'key_rolled', 'credits_low'] as const
