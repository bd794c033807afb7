import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import { createIds } from '../../../platform/ids.ts'
import type { MdmTables } from '../tables.ts'
import { createDeviceEditing } from './editing.ts'
import { toDevice } from './record.ts'

const db = testDatabase()
const NOW = new Date('2026-03-02T09:00:00.000Z')
const USER = randomUUID()

function open(given: { mdm_attributes_max_bytes?: number } = {}) {
  const hints: string[] = []
  const editing = createDeviceEditing({
    db,
    clock: { now: () => NOW },
    newId: createIds(),
    hint: () => void hints.push('hint'),
    mdm_attributes_max_bytes: 1000,
    ...given,
  })
  return { editing, hints }
}

const subjectOf = ({ org_id, id }: { org_id: string; id: string }) => ({
  org_id,
  device_id: id,
  user_id: USER,
})

const stored = async ({ id }: { id: string }) =>
  await db.selectFrom('mdm_devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const entriesOf = async ({ id }: { id: string }) =>
  await db
    .selectFrom('mdm_audit_log')
    .selectAll()
    .where('device_id', '=', id)
    .orderBy('id')
    .execute()
const dispatchesOf = async ({ id }: { id: string }): Promise<MdmTables['mdm_dispatches'][]> =>
  await db.selectFrom('mdm_dispatches').selectAll().where('subject_id', '=', id).execute()

describe('metadata of a device', () => {
  it('is updated, with an audit entry of the values before and after', async () => {
    const { editing } = open()
    const device = await addDevice(db, {
      org_id: randomUUID(),
      name: 'Till 3',
      custom_attributes: { store: 'Bern', floor: 1 },
    })
    const update = {
      name: 'Till 4',
      ownership_type: 'personally_owned',
      assigned_user_id: 'cashier-12',
      custom_attributes: { store: 'Basel' },
    } as const
    const answer = await editing.update(subjectOf(device), update)
    expect(answer).toEqual({ ...toDevice(device), ...update })
    expect(toDevice(await stored(device))).toEqual(answer)
    expect((await stored(device)).updated_at).toEqual(NOW)
    expect(await entriesOf(device)).toMatchObject([
      {
        org_id: device.org_id,
        action: 'device.updated',
        actor_type: 'user',
        actor_id: USER,
        target_type: 'device',
        target_id: device.id,
        before: {
          name: 'Till 3',
          ownership_type: 'company_owned',
          assigned_user_id: null,
          custom_attributes: { store: 'Bern', floor: 1 },
        },
        after: update,
        created_at: NOW,
      },
    ])
  })

  it('is removed by null, and unchanged where the request has no value', async () => {
    const { editing } = open()
    const device = await addDevice(db, {
      org_id: randomUUID(),
      name: 'Till 3',
      assigned_user_id: 'a',
    })
    const answer = await editing.update(subjectOf(device), { name: null })
    expect(answer).toMatchObject({ name: null, assigned_user_id: 'a' })
    expect(await entriesOf(device)).toMatchObject([
      { before: { name: 'Till 3' }, after: { name: null } },
    ])
  })

  it('gets no audit entry when nothing changes, in whatever order the members come', async () => {
    const { editing } = open()
    const custom_attributes = { a: 1, b: { c: [1, 2], d: null } }
    const device = await addDevice(db, { org_id: randomUUID(), name: 'Till 3', custom_attributes })
    for (const update of [
      {},
      { name: 'Till 3' },
      { custom_attributes: { b: { d: null, c: [1, 2] }, a: 1 } },
    ]) {
      expect(await editing.update(subjectOf(device), update)).toEqual(toDevice(device))
    }
    expect(await entriesOf(device)).toEqual([])
    expect((await stored(device)).updated_at).toEqual(device.updated_at)
  })

  it('is limited to the size that the operator allows', async () => {
    const { editing } = open({ mdm_attributes_max_bytes: 20 })
    const device = await addDevice(db, { org_id: randomUUID() })
    const update = async (text: string) =>
      await editing.update(subjectOf(device), { custom_attributes: { text } })
    // {"text":"…"}: the letter has two bytes
    expect(await update('ü'.repeat(4))).toMatchObject({ custom_attributes: { text: 'üüüü' } })
    await expect(update('ü'.repeat(5))).rejects.toMatchObject({
      status: 400,
      body: { content: { field: 'custom_attributes' } },
    })
  })

  it('of a deleted device cannot be updated', async () => {
    const { editing } = open()
    const device = await addDevice(db, { org_id: randomUUID(), state: 'deleted' })
    await expect(editing.update(subjectOf(device), { name: 'x' })).rejects.toMatchObject({
      status: 400,
      body: { content: { field: 'device_id' } },
    })
    expect(await entriesOf(device)).toEqual([])
  })

  it('is not updated by other organizations, or under a malformed id', async () => {
    const { editing } = open()
    const device = await addDevice(db, { org_id: randomUUID(), name: 'Till 3' })
    const foreign = { ...subjectOf(device), org_id: randomUUID() }
    for (const subject of [foreign, { ...foreign, device_id: 'x' }]) {
      expect(await editing.update(subject, { name: 'x' })).toBeUndefined()
      expect(await editing.requestDeletion(subject)).toBeUndefined()
    }
    expect(await stored(device)).toEqual(device)
  })

  it('keeps one audit entry per update when several users update it together', async () => {
    const { editing } = open()
    const device = await addDevice(db, { org_id: randomUUID(), name: '0' })
    const names = ['1', '2', '3']
    await Promise.all(names.map(async (name) => await editing.update(subjectOf(device), { name })))
    const entries = await entriesOf(device)
    const follows = new Map(entries.map(({ before, after }) => [before?.['name'], after?.['name']]))
    let name: unknown = '0'
    for (const _ of names) name = follows.get(name)
    expect(name).toBe((await stored(device)).name)
  })
})

describe('the deletion of a device', () => {
  it('is recorded and queued for the provider', async () => {
    const { editing, hints } = open()
    const device = await addDevice(db, { org_id: randomUUID() })
    const answer = await editing.requestDeletion(subjectOf(device))
    const deletion_requested_at = NOW.toISOString()
    expect(answer).toEqual({ ...toDevice(device), deletion_requested_at })
    expect((await stored(device)).deletion_requested_at).toEqual(NOW)
    expect(await dispatchesOf(device)).toMatchObject([
      { org_id: device.org_id, kind: 'delete_device', revision: 1, attempts: 0 },
    ])
    expect(await entriesOf(device)).toMatchObject([
      {
        action: 'device.deletion_requested',
        actor_id: USER,
        before: null,
        after: { deletion_requested_at },
      },
    ])
    expect(hints).toEqual(['hint'])
  })

  it('answers the same and does nothing when it is repeated, also after it is done', async () => {
    const { editing } = open()
    const device = await addDevice(db, { org_id: randomUUID() })
    const first = await editing.requestDeletion(subjectOf(device))
    expect(await editing.requestDeletion(subjectOf(device))).toEqual(first)
    await sql`
      update mdm_devices set state = 'deleted', deleted_at = ${NOW}, deleted_by = 'request'
      where id = ${device.id}`.execute(db)
    const done = { ...first, state: 'deleted', deleted_at: NOW.toISOString() }
    expect(await editing.requestDeletion(subjectOf(device))).toEqual(done)
    expect(await entriesOf(device)).toHaveLength(1)
    expect(await dispatchesOf(device)).toMatchObject([{ revision: 1 }])
  })

  it('is refused when the device was deleted without a request', async () => {
    const { editing, hints } = open()
    const device = await addDevice(db, { org_id: randomUUID(), state: 'deleted' })
    await expect(editing.requestDeletion(subjectOf(device))).rejects.toMatchObject({
      status: 400,
      body: { content: { field: 'device_id' } },
    })
    expect([await dispatchesOf(device), hints]).toEqual([[], []])
  })
})
