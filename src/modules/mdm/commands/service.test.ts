import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevices } from '../../../../test/support/mdm.ts'
import {
  actionsOf,
  addCommand,
  addDevice,
  commandOf,
  dispatchesOf,
  newDevice,
} from '../../../../test/support/mdm-dispatch.ts'
import { createIds } from '../../../platform/ids.ts'
import { progressOf } from './progress.ts'
import { createCommands } from './service.ts'

const db = testDatabase()
const NOW = new Date('2026-03-01T12:00:00.000Z')
const PASSWORD = 'correct horse 824193'

function setUp() {
  const hints: number[] = []
  const sealer = {
    seal: (plain: Buffer | string, context: string) =>
      Promise.resolve(`sealed ${String(plain).length} ${context}`),
  }
  const commands = createCommands({
    db,
    sealer,
    clock: { now: () => NOW },
    newId: createIds(),
    hint: () => hints.push(1),
    mdm_command_hours: 168,
  })
  return { commands, hints, by: { org_id: randomUUID(), user_id: randomUUID() } }
}

async function addGroup(orgId: string): Promise<string> {
  const id = randomUUID()
  await sql`insert into mdm_groups (org_id, id, name, created_at, updated_at)
    values (${orgId}, ${id}, 'Tills', now(), now())`.execute(db)
  return id
}

describe('a command for a device', () => {
  it('is stored with its dispatch before anything is sent, and expires on time', async () => {
    const { commands, by, hints } = setUp()
    const device = await addDevice(db, by.org_id)
    const command = await commands.create(by, device.id, { type: 'LOCK' })
    expect(command).toMatchObject({
      device_id: device.id,
      status: 'queued',
      created_at: '2026-03-01T12:00:00.000Z',
      expires_at: '2026-03-08T12:00:00.000Z',
    })
    const [dispatch] = await dispatchesOf(db, by.org_id)
    expect(dispatch).toMatchObject({ kind: 'issue_command', subject_id: command?.id })
    expect(await commandOf(db, { id: command?.id ?? '' })).toMatchObject({
      created_by: by.user_id,
      check_due_at: new Date('2026-03-08T12:00:00.000Z'),
    })
    expect(await actionsOf(db, by.org_id)).toEqual(['command.created'])
    expect(hints).toHaveLength(1)
  })

  it('stores its password sealed, and nowhere else', async () => {
    const { commands, by } = setUp()
    const device = await addDevice(db, by.org_id)
    const request = { type: 'RESET_PASSWORD', new_password: PASSWORD } as const
    const command = await commands.create(by, device.id, request)
    const row = await commandOf(db, { id: command?.id ?? '' })
    expect(row.new_password).toBe(`sealed ${PASSWORD.length} mdm_command:${row.id}`)
    const entries = await db
      .selectFrom('mdm_audit_log')
      .selectAll()
      .where('org_id', '=', by.org_id)
      .execute()
    expect(entries).toMatchObject([{ actor_id: by.user_id, device_id: device.id }])
    expect(JSON.stringify([command, entries, row.parameters])).not.toContain(PASSWORD)
    expect(JSON.stringify(entries)).not.toContain('sealed')
  })

  it('names each app once', async () => {
    const { commands, by } = setUp()
    const device = await addDevice(db, by.org_id)
    const package_names = ['com.a.b', 'com.c.d', 'com.a.b']
    const command = await commands.create(by, device.id, { type: 'CLEAR_APP_DATA', package_names })
    expect(command?.package_names).toEqual(['com.a.b', 'com.c.d'])
  })

  it('that the device does not support is refused and stores nothing', async () => {
    const { commands, by } = setUp()
    const device = await addDevice(db, by.org_id, { management_mode: 'work_profile' })
    await expect(commands.create(by, device.id, { type: 'REBOOT' })).rejects.toMatchObject({
      status: 400,
      body: { content: { field: 'type' } },
    })
    const values = { state: 'deleted', deleted_at: NOW } as const
    const deleted = await addDevice(db, by.org_id, values)
    await expect(commands.create(by, deleted.id, { type: 'LOCK' })).rejects.toMatchObject({
      body: { content: { field: 'device_id' } },
    })
    expect(await dispatchesOf(db, by.org_id)).toEqual([])
    expect(await actionsOf(db, by.org_id)).toEqual([])
  })

  it('is not created for devices of others or malformed ids', async () => {
    const { commands, by } = setUp()
    const other = await addDevice(db, randomUUID())
    expect(await commands.create(by, other.id, { type: 'LOCK' })).toBeUndefined()
    expect(await commands.create(by, 'device', { type: 'LOCK' })).toBeUndefined()
  })

  it('is refused when too many commands are queued', async () => {
    const { commands, by } = setUp()
    const device = await addDevice(db, by.org_id)
    for (let each = 0; each < 100; each += 1) await addCommand(db, device)
    await expect(commands.create(by, device.id, { type: 'LOCK' })).rejects.toMatchObject({
      body: { content: { field: 'device_id' } },
    })
  })

  it('makes earlier commands that wait for a retry due immediately', async () => {
    const { commands, by } = setUp()
    const device = await addDevice(db, by.org_id)
    const stuck = await addCommand(db, device, { created_at: NOW })
    await sql`update mdm_dispatches set due_at = now() + interval '30 minutes', attempts = 9
      where subject_id = ${stuck.id}`.execute(db)
    await commands.create(by, device.id, { type: 'WIPE' })
    const rows = await dispatchesOf(db, by.org_id)
    const soon = Date.now() + 60_000
    expect(rows.map(({ due_at }) => due_at.getTime() < soon)).toEqual([true, true])
  })
})

describe('a command for a group', () => {
  it('of 5,000 devices is one transaction, skips devices that do not support it, and counts both', async () => {
    const { commands, by, hints } = setUp()
    const group_id = await addGroup(by.org_id)
    const fit = Array.from({ length: 5000 }, () => newDevice(by.org_id, { group_id }))
    const unfit = [
      newDevice(by.org_id, { group_id, management_mode: 'work_profile' }),
      newDevice(by.org_id, { group_id, deletion_requested_at: NOW }),
    ]
    const elsewhere = newDevice(by.org_id)
    await addDevices(db, [...fit, ...unfit, elsewhere])
    const command = await commands.createForGroup(by, group_id, { type: 'REBOOT' })
    const expected = { group_id, type: 'REBOOT', total: 5000, skipped: 2, queued: 5000, sent: 0 }
    expect(command).toMatchObject(expected)
    const dispatches = await dispatchesOf(db, by.org_id)
    expect(dispatches).toHaveLength(5000)
    const { rows } = await sql<{ devices: number }>`
      select count(distinct device_id) as devices from mdm_commands
      where org_id = ${by.org_id} and group_command_id = ${command?.id ?? ''}`.execute(db)
    expect(rows[0]?.devices).toBe(5000)
    const actions = await actionsOf(db, by.org_id)
    expect(actions.filter((action) => action === 'command.created')).toHaveLength(5000)
    expect(actions.filter((action) => action === 'group.command_created')).toHaveLength(1)
    expect(hints).toHaveLength(1)
    expect((await progressOf(db, by.org_id, [group_id])).get(group_id)).toEqual(command)
  })

  it('seals its password once, for all of its commands', async () => {
    const { commands, by } = setUp()
    const group_id = await addGroup(by.org_id)
    await addDevices(db, [newDevice(by.org_id, { group_id }), newDevice(by.org_id, { group_id })])
    const request = { type: 'RESET_PASSWORD', new_password: PASSWORD } as const
    const command = await commands.createForGroup(by, group_id, request)
    const rows = await db
      .selectFrom('mdm_commands')
      .selectAll()
      .where('org_id', '=', by.org_id)
      .execute()
    const sealed = `sealed ${PASSWORD.length} mdm_command:${command?.id}`
    expect(rows.map(({ new_password }) => new_password)).toEqual([sealed, sealed])
  })

  it('that no device supports is refused with the reason', async () => {
    const { commands, by } = setUp()
    const group_id = await addGroup(by.org_id)
    const create = () => commands.createForGroup(by, group_id, { type: 'REBOOT' })
    const refused = (message: string) => ({
      status: 400,
      body: { message: expect.stringContaining(message) as string, content: { field: 'type' } },
    })
    await expect(create()).rejects.toMatchObject(refused('has no devices'))
    await addDevice(db, by.org_id, { group_id, management_mode: 'work_profile' })
    await expect(create()).rejects.toMatchObject(refused('REBOOT requires a fully managed device'))
    expect(await dispatchesOf(db, by.org_id)).toEqual([])
    expect(await progressOf(db, by.org_id, [group_id])).toEqual(new Map())
  })

  it('is not created for groups of others or malformed ids', async () => {
    const { commands, by } = setUp()
    const other = await addGroup(randomUUID())
    expect(await commands.createForGroup(by, other, { type: 'LOCK' })).toBeUndefined()
    expect(await commands.createForGroup(by, 'group', { type: 'LOCK' })).toBeUndefined()
  })

  it('is shown as the last one of its group, with its progress', async () => {
    const { commands, by } = setUp()
    const groups = [await addGroup(by.org_id), await addGroup(by.org_id)]
    const [group_id = ''] = groups
    await addDevices(db, [newDevice(by.org_id, { group_id }), newDevice(by.org_id, { group_id })])
    await commands.createForGroup(by, group_id, { type: 'LOCK' })
    const later = createCommands({
      db,
      sealer: { seal: () => Promise.resolve('') },
      clock: { now: () => new Date(NOW.getTime() + 5) },
      newId: createIds(),
      hint: () => undefined,
      mdm_command_hours: 1,
    })
    const last = await later.createForGroup(by, group_id, { type: 'WIPE' })
    await sql`update mdm_commands set status = 'failed', completed_at = now() where id = (
      select min(id::text)::uuid from mdm_commands where group_command_id = ${last?.id ?? ''}
    )`.execute(db)
    const progress = await progressOf(db, by.org_id, groups)
    expect([...progress.keys()]).toEqual([group_id])
    expect(progress.get(group_id)).toMatchObject({ id: last?.id, queued: 1, failed: 1 })
    expect(await progressOf(db, randomUUID(), groups)).toEqual(new Map())
  })
})
