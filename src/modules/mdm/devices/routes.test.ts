import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import { createIds } from '../../../platform/ids.ts'
import { createDeviceEditing } from './editing.ts'
import { createDeviceReading } from './reading.ts'
import { toDevice } from './record.ts'
import { deviceRoutes } from './routes.ts'

const db = testDatabase()
const limits = { text_max_chars: 1000, mdm_attributes_max_bytes: 1000, mdm_page_max: 100 }
const editing = createDeviceEditing({
  db,
  clock: { now: () => new Date('2026-03-02T09:00:00.000Z') },
  newId: createIds(),
  hint: () => undefined,
  ...limits,
})
const { app, org_id, call } = createPortal((server) =>
  deviceRoutes(server, {
    reading: createDeviceReading({ db }),
    editing,
    field_limits: limits,
  }),
)
afterAll(async () => await app.close())

const pathOf = (id: string) => `/v1/mdm/devices/${id}?org_id={org}`

describe('/v1/mdm/devices', () => {
  it('lists pages of matching devices for members', async () => {
    const group_id = randomUUID()
    const kind = { org_id, group_id, state: 'lost', management_mode: 'work_profile' } as const
    const older = await addDevice(db, { ...kind, created_at: new Date('2026-02-01T08:00:00.000Z') })
    const newer = await addDevice(db, { ...kind, created_at: new Date('2026-02-01T08:00:01.000Z') })
    await addDevice(db, { ...kind, group_id: null })
    await addDevice(db, { ...kind, org_id: randomUUID() })
    const filters = `state=lost&mode=work_profile&compliance=compliant&group_id=${group_id}`
    const path = `/v1/mdm/devices?org_id={org}&${filters}`
    const { status, body } = await call({ as: 'member', path })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      message: 'Devices',
      content: {
        devices: [toDevice(newer), toDevice(older)],
        pagination: { page: 1, limit: 50, total: 2, pages: 1 },
      },
    })
    const second = await call({ as: 'member', path: `${path}&page=2&limit=1` })
    expect(second.body?.content).toEqual({
      devices: [toDevice(older)],
      pagination: { page: 2, limit: 1, total: 2, pages: 2 },
    })
  })

  it.each([
    ['state', 'ACTIVE'],
    ['mode', 'kiosk'],
    ['compliance', 'maybe'],
    ['page', '0'],
    ['limit', '101'],
  ])('refuses an invalid filter or page: %s=%s', async (field, value) => {
    const path = `/v1/mdm/devices?org_id={org}&${field}=${value}`
    const { status, body } = await call({ as: 'owner', path })
    expect([status, body?.content]).toEqual([400, { field }])
  })
})

describe('/v1/mdm/devices/{device_id}', () => {
  it('returns a device with its commands and events to members', async () => {
    const device = await addDevice(db, { org_id })
    const { status, body } = await call({ as: 'member', path: pathOf(device.id) })
    expect(status).toBe(200)
    expect(body?.content).toEqual({ device: toDevice(device), commands: [], events: [] })
  })

  it('updates a device for owners and records an event', async () => {
    const { id } = await addDevice(db, { org_id })
    const body = { name: 'Till 3', custom_attributes: { store: 'Bern' }, state: 'lost' }
    const answer = await call({ as: 'owner', method: 'PATCH', path: pathOf(id), body })
    expect(answer.status).toBe(200)
    expect(answer.body?.content).toMatchObject({
      name: 'Till 3',
      custom_attributes: { store: 'Bern' },
      state: 'active',
    })
    const read = await call({ as: 'owner', path: pathOf(id) })
    expect(read.body?.content['events']).toMatchObject([{ action: 'device.updated' }])
  })

  it('deletes a device for owners', async () => {
    const { id } = await addDevice(db, { org_id })
    const answer = await call({ as: 'owner', method: 'DELETE', path: pathOf(id) })
    expect(answer.status).toBe(200)
    expect(answer.body?.content).toMatchObject({
      id,
      state: 'active',
      deletion_requested_at: '2026-03-02T09:00:00.000Z',
    })
  })

  it.each([
    ['ownership_type', { ownership_type: 'mine' }],
    ['name', { name: 'x'.repeat(1001) }],
    ['assigned_user_id', { assigned_user_id: 7 }],
    ['custom_attributes', { custom_attributes: ['a'] }],
    ['custom_attributes', { custom_attributes: { text: 'x'.repeat(1000) } }],
  ])('refuses an invalid value: %s', async (field, body) => {
    const { id } = await addDevice(db, { org_id })
    const answer = await call({ as: 'owner', method: 'PATCH', path: pathOf(id), body })
    expect([answer.status, answer.body?.content]).toEqual([400, { field }])
  })

  it('OP-38: answers 404 for devices that do not exist or belong to others', async () => {
    const foreign = await addDevice(db, { org_id: randomUUID() })
    for (const id of [randomUUID(), 'x', '%F0%9F%98%80', foreign.id]) {
      expect((await call({ as: 'owner', path: pathOf(id) })).status).toBe(404)
      const patch = { as: 'owner', method: 'PATCH', path: pathOf(id), body: {} } as const
      expect((await call(patch)).status).toBe(404)
      expect((await call({ as: 'owner', method: 'DELETE', path: pathOf(id) })).status).toBe(404)
    }
  })

  it('is read by members only, and updated by owners and admins only', async () => {
    const { id } = await addDevice(db, { org_id, name: 'Till 3' })
    const list = '/v1/mdm/devices?org_id={org}'
    for (const path of [list, pathOf(id), `/v1/mdm/devices?org_id=${randomUUID()}`]) {
      expect((await call({ as: 'stranger', path })).status).toBe(403)
    }
    for (const as of ['stranger', 'member'] as const) {
      const patch = { as, method: 'PATCH', path: pathOf(id), body: { name: 'x' } } as const
      expect((await call(patch)).status).toBe(403)
      expect((await call({ as, method: 'DELETE', path: pathOf(id) })).status).toBe(403)
    }
    const { body } = await call({ as: 'member', path: pathOf(id) })
    expect(body?.content).toMatchObject({
      device: { name: 'Till 3', deletion_requested_at: null },
      events: [],
    })
  })
})
