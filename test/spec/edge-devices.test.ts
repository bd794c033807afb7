/** Specification, "Edge device registration" and "Edge devices and logs": register, heartbeat, list. */
import { describe, expect, it } from 'vitest'
import { openHarness, useHarness } from '../harness.ts'
import { NOT_FOUND, success } from '../support/answers.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
let now = NOON
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)

const harness = useHarness({
  clock: { now: () => now },
  settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1', VIGIL_EDGE_DEVICE_ACTIVE_MINUTES: '10' },
})

type Device = { device_id: string; last_seen_at: string; status: string; field: string }
type Page = {
  devices: Device[]
  pagination: { page: number; limit: number; total: number; pages: number }
  field: string
}

const DEVICE = {
  device_id: 'pos-3',
  device_type: 'pos',
  name: 'Till 3',
  firmware_version: '4.2.1',
  location: { name: 'Station Street', address: 'Station Street 12, Bern' },
  tags: ['front'],
}

const register = async (key: string, body: unknown) =>
  await harness().call<Device>({ method: 'POST', path: '/v1/edge/devices/register', key, body })

const heartbeatPath = (id: string) => `/v1/edge/devices/${encodeURIComponent(id)}/heartbeat`
const heartbeat = async (key: string, id: string) =>
  await harness().call<Device>({ method: 'POST', path: heartbeatPath(id), key })

async function createShop() {
  now = NOON
  const { org_id, keys } = await harness().createTenant('free')
  const token = await harness().signIn(org_id, 'member')
  const list = async (query = '') =>
    await harness().get<Page>(`/v1/edge/devices?org_id=${org_id}${query}`, { token })
  const ids = async (query = '') =>
    (await list(query)).body.content.devices.map(({ device_id }) => device_id)
  return { org_id, keys, token, key: keys.live_secret, list, ids }
}

describe('POST /edge/devices/register', () => {
  it('OP-11: returns the record', async () => {
    const { key } = await createShop()
    const { status, body } = await register(key, DEVICE)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Device registered',
        content: { ...DEVICE, last_seen_at: NOON.toISOString(), status: 'active' },
      },
    })
  })

  it('OP-11: requires only the id; fields that were never sent are null', async () => {
    const { key } = await createShop()
    expect((await register(key, { device_id: 'x' })).body.content).toEqual({
      device_id: 'x',
      device_type: null,
      name: null,
      firmware_version: null,
      location: null,
      tags: [],
      last_seen_at: NOON.toISOString(),
      status: 'active',
    })
  })

  it('again updates the fields that are sent and keeps the others', async () => {
    const { key, list } = await createShop()
    await register(key, DEVICE)
    now = later(5)
    const { body } = await register(key, { device_id: 'pos-3', firmware_version: '4.3.0' })
    const changed = { ...DEVICE, firmware_version: '4.3.0', last_seen_at: later(5).toISOString() }
    expect(body.content).toEqual({ ...changed, status: 'active' })
    expect((await list()).body.content.devices).toEqual([{ ...changed, status: 'active' }])
  })

  it.each(['pos', 'kiosk', 'iot', 'mobile', 'desktop', 'server', 'gateway', 'other'])(
    'knows the type %s',
    async (device_type) => {
      const { key } = await createShop()
      const { body } = await register(key, { device_id: 'x', device_type })
      expect(body.content).toMatchObject({ device_type })
    },
  )

  it.each([
    ['device_id', { device_id: undefined }],
    ['device_id', { device_id: '' }],
    ['device_id', { device_id: 7 }],
    ['device_id', { device_id: 'x'.repeat(513) }],
    ['device_type', { device_type: 'toaster' }],
    ['name', { name: 'x'.repeat(1025) }],
    ['firmware_version', { firmware_version: 4 }],
    ['location', { location: 'Bern' }],
    ['location.name', { location: { name: 1 } }],
    ['location.address', { location: { address: [] } }],
    ['tags', { tags: 'front' }],
    ['tags.1', { tags: ['a', 1] }],
    ['tags', { tags: Array.from({ length: 101 }, String) }],
  ])('refuses an invalid %s and names it: %j', async (field, given) => {
    const { key, ids } = await createShop()
    const { status, body } = await register(key, { ...DEVICE, ...given })
    expect([status, body.code, body.content.field]).toEqual([400, 'invalid_request', field])
    expect(await ids()).toEqual([])
  })

  it('requires a secret key', async () => {
    const { keys, token } = await createShop()
    const statuses = []
    for (const sent of [{}, { key: 'sk_live_nothing' }, { token }, { key: keys.live_public }]) {
      const path = '/v1/edge/devices/register'
      const response = await harness().call({ method: 'POST', path, body: DEVICE, ...sent })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 401, 403])
  })
})

describe('POST /edge/devices/:device_id/heartbeat', () => {
  it('OP-11: returns the record', async () => {
    const { key } = await createShop()
    await register(key, DEVICE)
    now = later(30)
    const { status, body } = await heartbeat(key, 'pos-3')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Heartbeat received',
        content: { ...DEVICE, last_seen_at: later(30).toISOString(), status: 'active' },
      },
    })
  })

  it('creates an unregistered device, as a log does', async () => {
    const { key, ids } = await createShop()
    const id = 'Kasse 3/ö 🧾?#%'
    expect((await heartbeat(key, id)).body.content.device_id).toBe(id)
    expect(await ids()).toEqual([id])
  })

  it.each<[string, { headers?: Record<string, string>; payload?: string }]>([
    ['no body', {}],
    ['an empty body', { payload: '' }],
    ['an empty body under JSON', { headers: { 'content-type': 'application/json' }, payload: '' }],
    [
      'an empty form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: '' },
    ],
    ['{}', { headers: { 'content-type': 'application/json' }, payload: '{}' }],
  ])('accepts %s', async (_, { headers = {}, payload }) => {
    const { key } = await createShop()
    const response = await harness().app.inject({
      method: 'POST',
      url: heartbeatPath('pos-3'),
      headers: { ...headers, 'x-api-key': key },
      ...(payload !== undefined && { payload }),
    })
    expect(response.statusCode).toBe(200)
  })

  it('OP-38: finds nothing under an id that no device can have', async () => {
    const { key, ids } = await createShop()
    for (const id of ['%00', 'a%00b', '%ED%A0%80', '%', '', 'x'.repeat(513), 'x'.repeat(5000)]) {
      const path = `/v1/edge/devices/${id}/heartbeat`
      const { status, body } = await harness().call({ method: 'POST', path, key })
      expect({ id, status, body }).toEqual({ id, ...NOT_FOUND })
    }
    expect(await ids()).toEqual([])
  })

  it('requires a secret key', async () => {
    const { keys, token } = await createShop()
    const statuses = []
    for (const sent of [{}, { token }, { key: keys.live_public }]) {
      const response = await harness().call({ method: 'POST', path: heartbeatPath('x'), ...sent })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 403])
  })

  it('counts against the limit of ingestion, as registering does', async () => {
    const { key } = await createShop()
    const limited = await openHarness({ settings: { VIGIL_RATE_LIMIT_INGEST: '2/60' } })
    const send = async (path: string, body?: unknown) =>
      await limited.call({ method: 'POST', path, key, ...(body !== undefined && { body }) })
    const statuses = [
      (await send('/v1/edge/devices/register', DEVICE)).status,
      (await send(heartbeatPath('x'))).status,
    ]
    const { status, body } = await send(heartbeatPath('x'))
    await limited.close()
    expect([...statuses, status]).toEqual([200, 200, 429])
    expect(body.content.retry_after).toBeGreaterThan(0)
  })
})

describe('GET /edge/devices', () => {
  it('OP-12: returns pages, last seen first', async () => {
    const { key, list } = await createShop()
    for (let minute = 0; minute < 3; minute += 1) {
      now = later(minute)
      await heartbeat(key, `device-${minute}`)
    }
    const { status, body } = await list('&page=2&limit=2')
    expect({ status, body }).toEqual(
      success('Devices', {
        devices: [
          {
            device_id: 'device-0',
            device_type: null,
            name: null,
            firmware_version: null,
            location: null,
            tags: [],
            last_seen_at: NOON.toISOString(),
            status: 'active',
          },
        ],
        pagination: { page: 2, limit: 2, total: 3, pages: 2 },
      }),
    )
    expect((await list()).body.content.pagination).toEqual({
      page: 1,
      limit: 50,
      total: 3,
      pages: 1,
    })
    expect((await list('&page=9')).body.content.devices).toEqual([])
  })

  it('OP-11: shows which devices are active by the configured time', async () => {
    const { key, list } = await createShop()
    await heartbeat(key, 'a')
    const status = async () => (await list()).body.content.devices[0]?.status
    now = later(10)
    expect(await status()).toBe('active')
    now = later(10.1)
    expect(await status()).toBe('inactive')
  })

  it('OP-12: filters by the time devices were last seen', async () => {
    const { key, ids } = await createShop()
    for (let minute = 0; minute < 4; minute += 1) {
      now = later(minute)
      await heartbeat(key, `device-${minute}`)
    }
    const between = `&start_date=${later(1).toISOString()}&end_date=${later(2).toISOString()}`
    expect(await ids(between)).toEqual(['device-2', 'device-1'])
    expect(await ids('&start_date=2026-03-01T13:03:00%2B01:00')).toEqual(['device-3'])
  })

  it('shows only live devices of the organization', async () => {
    const { key, keys, ids } = await createShop()
    await heartbeat(key, 'live')
    await heartbeat(keys.test_secret, 'test')
    const { keys: others } = await harness().createTenant()
    await heartbeat(others.live_secret, 'theirs')
    expect(await ids()).toEqual(['live'])
  })

  it.each([
    ['page', '&page=0'],
    ['page', '&page=1.5'],
    ['page', '&page=1e300'],
    ['limit', '&limit=0'],
    ['limit', '&limit=1001'],
    ['start_date', '&start_date=yesterday'],
  ])('OP-18: refuses an invalid %s and names it: %s', async (field, query) => {
    const { list } = await createShop()
    const { status, body } = await list(query)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })

  it('is for members of the organization with an access token', async () => {
    const { org_id, key } = await createShop()
    const { token: stranger } = await createShop()
    const path = `/v1/edge/devices?org_id=${org_id}`
    const statuses = []
    for (const sent of [{}, { key }, { token: stranger }]) {
      statuses.push((await harness().call({ method: 'GET', path, ...sent })).status)
    }
    expect(statuses).toEqual([401, 401, 404])
    const missing = await harness().get('/v1/edge/devices', { token: stranger })
    expect([missing.status, missing.body.content.field]).toEqual([400, 'org_id'])
  })
})
