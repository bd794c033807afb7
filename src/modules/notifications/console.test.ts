import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { createAuthority } from '../../../emulators/certificate.ts'
import { startReceiver } from '../../../emulators/receiver.ts'
import { startSlack } from '../../../emulators/slack.ts'
import { useHarness } from '../../../test/harness.ts'
import { addNotifications } from '../../../test/support/notifications.ts'
import type {
  Channel,
  ChannelWithSecret,
  Firing,
  ShownMessage,
  ShownNotification,
  ShownRoute,
  TestResult,
} from './schema.ts'

const authority = createAuthority()
const harness = useHarness({
  settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1,::1', VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
  webhook_ca: authority.cert,
})
const PATH = '/console/api/notifications'
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

async function organization() {
  const { org_id } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'admin')
  const send = async <C>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object = {}) =>
    await harness().call<C & { field: string }>({
      method,
      path: `${PATH}${path}`,
      token,
      body: { org_id, ...body },
    })
  const get = async <C>(path: string) =>
    (await harness().call<C>({ method: 'GET', path: `${PATH}${path}?org_id=${org_id}`, token }))
      .body.content
  const remove = async (path: string) =>
    (await harness().call({ method: 'DELETE', path: `${PATH}${path}?org_id=${org_id}`, token }))
      .status
  return { org_id, token, send, get, remove }
}

it('a channel shows the answer of its provider to a test, and never its secret', async () => {
  const slack = await startSlack({ authority, scenario: { paths: { '/gone': { status: 404 } } } })
  onTestFinished(slack.close)
  const { send, get } = await organization()
  const secretUrl = `${slack.url}/services/T0/B0/secret`
  const created = await send<Channel>('POST', '/channels', {
    kind: 'slack',
    name: 'Shop <b>',
    url: secretUrl,
  })
  expect(created.body.content).toMatchObject({
    verified_at: null,
    config: { host: `127.0.0.1:${slack.port}` },
  })
  const { id } = created.body.content
  const accepted = await send<TestResult>('POST', `/channels/${id}/test`)
  expect(accepted.body.content).toMatchObject({
    is_accepted: true,
    response_status: 200,
    response_body: 'ok',
    channel: { failing_since: null, last_error: null },
  })
  const [message] = slack.received
  expect(message).toMatchObject({ path: '/services/T0/B0/secret' })
  expect(message?.body).toContain('Test of the channel \\"Shop &lt;b&gt;\\"')

  const moved = await send<Channel>('PATCH', `/channels/${id}`, { url: `${slack.url}/gone` })
  expect(moved.body.content).toMatchObject({ name: 'Shop <b>', verified_at: null })
  const refused = await send<TestResult>('POST', `/channels/${id}/test`)
  expect(refused.body.content).toMatchObject({ is_accepted: false, response_status: 404 })
  const { channels } = await get<{ channels: Channel[] }>('/channels')
  expect(channels).toMatchObject([{ last_error: 'Answered 404' }])
  expect(JSON.stringify(channels)).not.toContain('services')
  const { messages } = await get<{ messages: ShownMessage[] }>('/messages')
  expect(messages.map(({ status, step }) => `${step} ${status}`)).toEqual([
    'test failed',
    'test succeeded',
  ])
})

it('a webhook channel shows its signing secret once, and signs with it', async () => {
  const receiver = await startReceiver({ authority })
  onTestFinished(receiver.close)
  const { send, get } = await organization()
  const body = { kind: 'webhook', name: 'Pager', url: `${receiver.url}/hook` }
  const { id, secret } = (await send<ChannelWithSecret>('POST', '/channels', body)).body.content
  expect(secret).toMatch(/^whsec_/)
  expect(JSON.stringify(await get('/channels'))).not.toContain(secret)
  receiver.setScenario({ secrets: [secret ?? ''] })
  await send('POST', `/channels/${id}/test`)
  expect(receiver.received).toMatchObject([{ signature: 'valid', event: 'notification' }])
})

it.each([
  ['url', { kind: 'slack', name: 'x' }],
  ['url', { kind: 'teams', name: 'x', url: 'https://10.0.0.1/x' }],
  ['url', { kind: 'webhook', name: 'x', url: 'http://hooks.example.com/' }],
  ['routing_key', { kind: 'pagerduty', name: 'x' }],
  ['kind', { kind: 'email', name: 'x', to: ['a@example.com'] }],
  ['application_id', { kind: 'push', name: 'x', application_id: NO_ONE, external_user_ids: ['a'] }],
  ['kind', { kind: 'pigeon', name: 'x' }],
  ['name', { kind: 'slack' }],
])('a channel is refused with the name of the invalid field %s', async (field, body) => {
  const { send } = await organization()
  const { status, body: answer } = await send('POST', '/channels', body)
  expect([status, answer.content.field]).toEqual([400, field])
})

it('routes are set, muted and deleted, and lose a channel that is deleted', async () => {
  const { org_id, send, get, remove, token } = await organization()
  const other = await organization()
  const url = 'https://hooks.example.com/1'
  const { id } = (await send<Channel>('POST', '/channels', { kind: 'slack', name: 'Shop', url }))
    .body.content
  const route = { subject: 'log_alert', channel_ids: [id], min_severity: 'warning' }
  const quiet_hours = { from: '22:00', until: '06:00', time_zone: 'Europe/Berlin' }
  const set = await send<ShownRoute>('PUT', '/routes', {
    ...route,
    repeat_minutes: 30,
    quiet_hours,
  })
  const again = await send<ShownRoute>('PUT', '/routes', route)
  expect(again.body.content).toMatchObject({ id: set.body.content.id, quiet_hours: null })
  const muted = await send<ShownRoute>('POST', `/routes/${set.body.content.id}/mute`, {
    minutes: 60,
  })
  expect(muted.body.content.muted_until).not.toBeNull()
  expect(
    (await other.send('POST', `/routes/${set.body.content.id}/mute`, { minutes: 1 })).status,
  ).toBe(404)
  const foreign = await other.send('PUT', '/routes', route)
  expect([foreign.status, foreign.body.content.field]).toEqual([400, 'channel_ids.0'])
  const mars = { ...quiet_hours, time_zone: 'Mars' }
  const refused = await send('PUT', '/routes', { ...route, quiet_hours: mars })
  expect([refused.status, refused.body.content.field]).toEqual([400, 'quiet_hours.time_zone'])
  expect(await remove(`/channels/${id}`)).toBe(200)
  expect(await get('/routes')).toMatchObject({ routes: [{ channel_ids: [] }] })
  expect(await remove(`/routes/${set.body.content.id}`)).toBe(200)

  const { body } = await harness().call<{ entries: { action: string }[] }>({
    method: 'GET',
    path: `/console/api/audit?org_id=${org_id}`,
    token,
  })
  expect(body.content.entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['notification_channel.created', 'notification_route.muted']),
  )
})

it('members acknowledge what lasts, and see it and its messages in their own organization only', async () => {
  const { org_id, get } = await organization()
  const other = await organization()
  const ids = await addNotifications(harness().stores.db, org_id, randomUUID())
  expect(await get<Firing>('/firing')).toEqual({ count: 1, unacknowledged: 1, severity: 'warning' })
  const token = await harness().signIn(org_id, 'member')
  const path = `${PATH}/${ids.notification_id}/acknowledge`
  const stranger = await harness().call({
    method: 'POST',
    path,
    token: other.token,
    body: { org_id: other.org_id },
  })
  expect(stranger.status).toBe(404)
  const { body } = await harness().call<ShownNotification>({
    method: 'POST',
    path,
    token,
    body: { org_id },
  })
  expect(body.content.acknowledged_by).toContain('@')
  expect(await get<Firing>('/firing')).toEqual({ count: 1, unacknowledged: 0, severity: null })
  const page = await get<{ notifications: ShownNotification[] }>('')
  expect(page.notifications).toEqual([body.content])
  expect(await other.get('')).toMatchObject({ notifications: [] })
  expect(await other.get('/messages')).toMatchObject({ messages: [] })
})
