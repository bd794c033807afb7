import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createAuthority } from '../../../../emulators/certificate.ts'
import { startPushService } from '../../../../emulators/web-push.ts'
import { useHarness } from '../../../../test/harness.ts'
import { startJobs } from '../../../app/jobs.ts'
import { notify } from '../notify.store.ts'
import type { BrowserKey, Channel, TestResult } from '../schema.ts'

const authority = createAuthority()
const harness = useHarness({
  settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1,::1', VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
  webhook_ca: authority.cert,
})
const PATH = '/console/api/notifications/mine'

let stopJobs = async () => {}
beforeAll(() => {
  const { core, parts } = harness()
  stopJobs = startJobs(core, parts).stop
})
afterAll(async () => await stopJobs())

const fire = async (org_id: string) =>
  await notify(harness().stores.db, [
    {
      org_id,
      subject: 'log_alert',
      key: 'till',
      severity: 'critical',
      is_lasting: true,
      title: 'Receipts are not printed',
      link: '/logs/alerts',
      started_at: new Date(),
    },
  ])

async function openService() {
  const service = await startPushService({ authority })
  onTestFinished(service.close)
  return service
}

async function person(org_id?: string) {
  const org = org_id ?? (await harness().createTenant()).org_id
  const token = await harness().signIn(org, 'member')
  const send = async <C>(method: 'POST' | 'PUT', path: string, body: object = {}) => {
    const call = { method, path: `${PATH}${path}`, token, body: { org_id: org, ...body } }
    return await harness().call<C & { field: string }>(call)
  }
  const list = async () => {
    const path = `${PATH}/browsers?org_id=${org}`
    const { body } = await harness().call<{ browsers: Channel[] }>({ method: 'GET', path, token })
    return body.content.browsers
  }
  const remove = async (id: string) => {
    const path = `${PATH}/browsers/${id}?org_id=${org}`
    return (await harness().call({ method: 'DELETE', path, token })).status
  }
  const newKey = async () => (await send<BrowserKey>('POST', '/browsers/key')).body.content
  return { org_id: org, token, send, list, remove, newKey }
}

type Person = Awaited<ReturnType<typeof person>>
type Service = Awaited<ReturnType<typeof openService>>

async function subscribed({ newKey, send }: Person, service: Service, name = 'Firefox on Android') {
  const { public_key, sealed_key } = await newKey()
  const subscription = service.subscribe(public_key)
  const browser = { name, sealed_key, ...subscription }
  const added = await send<Channel>('POST', '/browsers', browser)
  return { ...subscription, added, browser }
}

it('a browser gets the test, and what its person is notified of, encrypted for it alone', async () => {
  const service = await openService()
  const ann = await person()
  const { added, endpoint } = await subscribed(ann, service)
  expect(added).toMatchObject({ status: 200, body: { content: { name: 'Firefox on Android' } } })
  expect(JSON.stringify(added.body)).not.toContain(endpoint)
  const tested = await ann.send<TestResult>('POST', `/browsers/${added.body.content.id}/test`)
  expect(tested.body.content).toMatchObject({ is_accepted: true, response_status: 201 })
  expect(service.received).toMatchObject([
    { message: { title: 'Test of the browser "Firefox on Android"' }, headers: { ttl: '86400' } },
  ])

  const choice = { subject: null, is_on: true, min_severity: 'warning' }
  expect((await ann.send('PUT', '', choice)).status).toBe(200)
  await fire(ann.org_id)
  await vi.waitFor(() => expect(service.received.length).toBeGreaterThan(1), { timeout: 20_000 })
  expect(service.received[1]).toMatchObject({
    endpoint,
    message: { title: 'Receipts are not printed', severity: 'critical' },
  })
  expect(JSON.stringify(service.received[1])).toContain(`/console/o/${ann.org_id}/logs/alerts`)
})

it('a browser ends with its session, and when its push service does not know it any more', async () => {
  const service = await openService()
  const ann = await person()
  const { added, endpoint } = await subscribed(ann, service)
  service.unsubscribe(endpoint)
  const gone = await ann.send<TestResult>('POST', `/browsers/${added.body.content.id}/test`)
  expect(gone.body.content).toMatchObject({ is_accepted: false, response_status: 410 })
  expect(await ann.list()).toEqual([])

  await subscribed(ann, service)
  expect(await ann.list()).toHaveLength(1)
  const choice = { subject: null, is_on: true, min_severity: 'warning' }
  await ann.send('PUT', '', choice)
  const { db } = harness().stores
  await sql`
    delete from sessions where user_id in (
      select browser_of from notification_channels where org_id = ${ann.org_id})`.execute(db)
  await fire(ann.org_id)
  const rows = () =>
    sql`select 1 from notification_channels
      where org_id = ${ann.org_id} and browser_of is not null`.execute(db)
  await vi.waitFor(async () => expect((await rows()).rows).toEqual([]), { timeout: 20_000 })
  expect(service.received).toEqual([])
})

it('no one else sees, tests or removes a browser, and its key works for its person alone', async () => {
  const service = await openService()
  const ann = await person()
  const ben = await person(ann.org_id)
  const { added, browser } = await subscribed(ann, service)
  const { id } = added.body.content
  expect(await ben.list()).toEqual([])
  expect((await ben.send('POST', `/browsers/${id}/test`)).status).toBe(404)
  expect(await ben.remove(id)).toBe(404)
  expect(await ben.send('POST', '/browsers', browser)).toMatchObject({
    status: 400,
    body: { content: { field: 'sealed_key' } },
  })
  const { channels } = (
    await harness().call<{ channels: Channel[] }>({
      method: 'GET',
      path: `/console/api/notifications/channels?org_id=${ann.org_id}`,
      token: ben.token,
    })
  ).body.content
  expect(channels).toEqual([])
  expect(await ann.remove(id)).toBe(200)
  expect(await ann.list()).toEqual([])
})

it('a person has at most ten browsers, at public addresses and with keys of a browser', async () => {
  const service = await openService()
  const ann = await person()
  const first = await subscribed(ann, service, 'Browser 0')
  const refused = async (changed: object, field: string) =>
    expect(await ann.send('POST', '/browsers', { ...first.browser, ...changed })).toMatchObject({
      status: 400,
      body: { content: { field } },
    })
  await refused({ endpoint: 'http://push.example/1' }, 'endpoint')
  await refused({ endpoint: 'https://10.0.0.1/send' }, 'endpoint')
  await refused({ p256dh: 'A'.repeat(87) }, 'p256dh')
  await refused({ auth: 'short' }, 'auth')
  await ann.send('POST', '/browsers', first.browser)
  expect(await ann.list()).toHaveLength(1)
  for (let n = 1; n < 10; n += 1) await subscribed(ann, service, `Browser ${n}`)
  const eleventh = await subscribed(ann, service, 'Browser 10')
  expect(eleventh.added).toMatchObject({ status: 400, body: { content: { field: 'endpoint' } } })
  expect(await ann.list()).toHaveLength(10)
})
