import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../../test/support/edge-logs.ts'
import type { Mode } from '../../../platform/owner.ts'
import type { DeviceError } from '../logs/schema.ts'
import type { KnownDevice, KnownDevicePage } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

async function createMember() {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>(token: string, path: string, query: Record<string, string>) {
  return await harness().call<C & { field: string }>({
    method: 'GET',
    path: `/console/api/edge${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

async function addDevices(
  orgId: string,
  devices: {
    device_id: string
    age_minutes: number
    mode?: Mode
    name?: string
    tags?: string[]
  }[],
) {
  const now = Date.now()
  await harness()
    .stores.db.insertInto('edge_devices')
    .values(
      devices.map(({ device_id, age_minutes, mode = 'live', name = null, tags = null }) => ({
        org_id: orgId,
        mode,
        device_id,
        device_type: null,
        name,
        firmware_version: null,
        location: null,
        tags,
        created_at: new Date(now - 100_000_000),
        last_seen_at: new Date(now - age_minutes * 60_000),
      })),
    )
    .execute()
}

async function namesOf(token: string, query: Record<string, string>) {
  const { body } = await get<KnownDevicePage>(token, '/devices', query)
  return body.content.devices.map(({ device_id }) => device_id)
}

describe.each([
  ['/devices', {}],
  ['/device', { device_id: 'till-1' }],
  ['/device/errors', { device_id: 'till-1' }],
] as const)('GET /console/api/edge%s', (path, query) => {
  it('is for members only and names an unknown mode', async () => {
    const { org_id, token } = await createMember()
    const foreign = await createMember()
    await addDevices(org_id, [{ device_id: 'till-1', age_minutes: 1 }])
    expect((await get(foreign.token, path, { ...query, org_id })).status).toBe(404)
    const { status, body } = await get(token, path, { ...query, org_id, mode: 'both' })
    expect([status, body.content.field]).toEqual([400, 'mode'])
  })
})

describe('the list of devices', () => {
  it('pages through devices, last seen first, each once, even if several were seen at the same time', async () => {
    const { org_id, token } = await createMember()
    const ages = [1, 2, 2, 2, 2, 30, 31]
    await addDevices(
      org_id,
      ages.map((age_minutes, index) => ({ device_id: `till-${index}`, age_minutes })),
    )
    await addDevices(org_id, [{ device_id: 'of-tests', age_minutes: 0, mode: 'test' }])
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: { body: { content: KnownDevicePage } } = await get<KnownDevicePage>(
        token,
        '/devices',
        { org_id, limit: '2', ...(cursor !== '' && { cursor }) },
      )
      paged.push(...body.content.devices.map(({ device_id }) => device_id))
      cursor = body.content.next_cursor
    }
    expect(paged).toEqual(ages.map((_, index) => `till-${index}`))
    expect(await namesOf(token, { org_id, status: 'inactive' })).toEqual(['till-5', 'till-6'])
    expect(await namesOf(token, { org_id, status: 'active', limit: '1' })).toEqual(['till-0'])
    expect(await namesOf(token, { org_id, mode: 'test' })).toEqual(['of-tests'])
  })

  it('finds a part of the id, the name or a tag in any case and takes special characters literally', async () => {
    const { org_id, token } = await createMember()
    await addDevices(org_id, [
      { device_id: 'Till-100%_\'"<b>', age_minutes: 1 },
      { device_id: 'kiosk', age_minutes: 2, name: 'Bahnhofstraße' },
      { device_id: 'gate', age_minutes: 3, tags: ['FRONT', 'shop-4'] },
    ])
    const find = async (text: string) => await namesOf(token, { org_id, text })
    expect(await find('tILL')).toEqual(['Till-100%_\'"<b>'])
    expect(await find('%_\'"<B')).toEqual(['Till-100%_\'"<b>'])
    expect(await find('hofSTRASSE')).toEqual([])
    expect(await find('HOFSTRA')).toEqual(['kiosk'])
    expect(await find('front')).toEqual(['gate'])
    expect(await find('%')).toEqual(['Till-100%_\'"<b>'])
  })

  it('searches 5,000 devices per page for a text and continues where it stopped', async () => {
    const { org_id, token } = await createMember()
    await addDevices(
      org_id,
      Array.from({ length: 5003 }, (_, index) => ({
        device_id: index < 5001 ? `till-${index}` : `needle-${index}`,
        age_minutes: index,
      })),
    )
    const first = await get<KnownDevicePage>(token, '/devices', { org_id, text: 'needle' })
    expect(first.body.content.devices).toEqual([])
    const cursor = first.body.content.next_cursor ?? ''
    const second = await get<KnownDevicePage>(token, '/devices', { org_id, text: 'needle', cursor })
    expect(second.body.content.devices.map(({ device_id }) => device_id)).toEqual([
      'needle-5001',
      'needle-5002',
    ])
    expect(second.body.content.next_cursor).toBeNull()
  })

  it.each(['x', 'bm8', Buffer.from('["a","b"]').toString('base64url')])(
    'refuses the cursor %s, which is not from an earlier page',
    async (cursor) => {
      const { org_id, token } = await createMember()
      const { status, body } = await get(token, '/devices', { org_id, cursor })
      expect([status, body.content.field]).toEqual([400, 'cursor'])
    },
  )
})

describe('a device', () => {
  it('has the time it was first seen, whatever characters its id contains', async () => {
    const { org_id, token } = await createMember()
    for (const device_id of ['..', 'a/b?c=%2F', '<script>']) {
      await addDevices(org_id, [{ device_id, age_minutes: 60 }])
      const { body } = await get<KnownDevice>(token, '/device', { org_id, device_id })
      expect(body.content).toMatchObject({ device_id, status: 'inactive', tags: [] })
      expect(Date.parse(body.content.first_seen_at)).toBeLessThan(
        Date.parse(body.content.last_seen_at),
      )
    }
    expect((await get(token, '/device', { org_id, device_id: 'gone' })).status).toBe(404)
    expect((await get(token, '/device', { org_id, device_id: '\0' })).status).toBe(404)
  })

  it('has its errors by group, most frequent first', async () => {
    const { org_id, token } = await createMember()
    const { clickhouse } = harness().stores.analytics
    const at = Date.now() - 60_000
    const error = { org_id, received_at_ms: at, level: 'error', device_id: 'till-1' } as const
    const [one, two] = ['ab'.repeat(16), 'cd'.repeat(16)]
    await addEdgeLogs(clickhouse, [
      edgeLog({ ...error, error_fingerprint: one, message: 'once', error_type: 'IOError' }),
      edgeLog({ ...error, error_fingerprint: two, message: 'older', timestamp_ms: at - 7_200_000 }),
      edgeLog({ ...error, error_fingerprint: two, message: 'newer', level: 'fatal' }),
      edgeLog({ ...error, error_fingerprint: two, device_id: 'till-2' }),
      edgeLog({ ...error, level: 'warn' }),
    ])
    const query = { org_id, device_id: 'till-1' }
    const { body } = await get<{ errors: DeviceError[] }>(token, '/device/errors', query)
    const last_seen = new Date(at).toISOString()
    expect(body.content.errors).toEqual([
      { fingerprint: two, error_type: null, message: 'newer', count: 2, last_seen },
      { fingerprint: one, error_type: 'IOError', message: 'once', count: 1, last_seen },
    ])
    const none = await get<{ errors: [] }>(token, '/device/errors', { org_id, device_id: 'x' })
    expect(none.body.content.errors).toEqual([])
  })
})
