import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createBareServer, NO_FACTOR } from '../../../../test/support/bare-server.ts'
import { addDevice, commandOf, dispatchesOf } from '../../../../test/support/mdm-dispatch.ts'
import { createIds } from '../../../platform/ids.ts'
import type { Role } from '../../accounts/tables.ts'
import { commandRoutes } from './routes.ts'
import { createCommands } from './service.ts'

const db = testDatabase()

async function setUp(role: Role = 'admin') {
  const org_id = randomUUID()
  const app = createBareServer({
    authenticators: {
      token: () => Promise.resolve({ user_id: randomUUID() }),
      membership: (user_id, orgId) =>
        Promise.resolve(
          orgId === org_id
            ? { org_id, user_id, role, plan: 'free', cell: 'main', ...NO_FACTOR }
            : undefined,
        ),
    },
  })
  const commands = createCommands({
    db,
    sealer: { seal: () => Promise.resolve('sealed') },
    clock: { now: () => new Date() },
    newId: createIds(),
    hint: () => undefined,
    mdm_command_hours: 168,
  })
  commandRoutes(app, { commands })
  await app.ready()
  const post = async (path: string, payload: object, orgId = org_id) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/v1/mdm/${path}?org_id=${orgId}`,
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    })
    const body = JSON.parse(answer.body) as { content: { id: string; field?: string } }
    return { status: answer.statusCode, body }
  }
  return { org_id, post }
}

describe('POST /v1/mdm/devices/{device_id}/commands', () => {
  it('queues a command and returns its record', async () => {
    const { org_id, post } = await setUp()
    const device = await addDevice(db, org_id)
    const { status, body } = await post(`devices/${device.id}/commands`, { type: 'LOCK' })
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ device_id: device.id, type: 'LOCK', status: 'queued' })
    expect((await commandOf(db, body.content)).org_id).toBe(org_id)
  })

  it('never returns a password, sealed or not', async () => {
    const { org_id, post } = await setUp()
    const device = await addDevice(db, org_id)
    const request = { type: 'RESET_PASSWORD', new_password: '824193' }
    const { status, body } = await post(`devices/${device.id}/commands`, request)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toMatch(/824193|sealed/)
  })

  it.each([
    ['type', {}],
    ['type', { type: 'EXPLODE' }],
    ['type', { type: 'RELINQUISH_OWNERSHIP' }],
    ['package_names', { type: 'CLEAR_APP_DATA' }],
    ['package_names.0', { type: 'CLEAR_APP_DATA', package_names: ['../etc'] }],
    ['new_password', { type: 'LOCK', new_password: 'x' }],
    ['new_password', { type: 'RESET_PASSWORD', new_password: '' }],
  ])('names the field %s of %j', async (field, request) => {
    const { org_id, post } = await setUp()
    const device = await addDevice(db, org_id)
    const { status, body } = await post(`devices/${device.id}/commands`, request)
    expect([status, body.content.field]).toEqual([400, field])
    expect(await dispatchesOf(db, org_id)).toEqual([])
  })

  it('is for owners and admins, and forbidden to members and strangers', async () => {
    const { org_id, post } = await setUp('member')
    const device = await addDevice(db, org_id)
    const path = `devices/${device.id}/commands`
    expect((await post(path, { type: 'LOCK' })).status).toBe(403)
    expect((await post(path, { type: 'LOCK' }, randomUUID())).status).toBe(403)
    expect(await dispatchesOf(db, org_id)).toEqual([])
  })

  it('does not find devices of others, nor malformed ids', async () => {
    const { post } = await setUp()
    const other = await addDevice(db, randomUUID())
    for (const id of [other.id, randomUUID(), 'none']) {
      expect((await post(`devices/${id}/commands`, { type: 'LOCK' })).status).toBe(404)
    }
  })
})

describe('POST /v1/mdm/groups/{group_id}/commands', () => {
  it('does not find groups of others, nor malformed ids', async () => {
    const { post } = await setUp()
    for (const id of [randomUUID(), 'none']) {
      expect((await post(`groups/${id}/commands`, { type: 'LOCK' })).status).toBe(404)
    }
  })

  it('returns the progress of the command', async () => {
    const { org_id, post } = await setUp()
    const group_id = randomUUID()
    const now = new Date()
    const group = { org_id, id: group_id, name: 'g', created_at: now, updated_at: now }
    await db.insertInto('mdm_groups').values(group).execute()
    await addDevice(db, org_id, { group_id })
    const { status, body } = await post(`groups/${group_id}/commands`, { type: 'WIPE' })
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ group_id, type: 'WIPE', total: 1, skipped: 0, queued: 1 })
  })
})
