import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { addDevice as addDeviceOf } from '../../../test/support/mdm.ts'
import { whileHeld } from '../../../test/support/mdm-administration.ts'
import type { Db } from '../../platform/postgres/db.ts'
import {
  sweepCommands,
  sweepDeviceCounts,
  sweepDevices,
  sweepEnrollmentTokens,
  sweepGroupCommands,
  sweepNotifications,
  sweepSignups,
} from './sweep.store.ts'

const db = ownDatabase()
const OLD = new Date('2026-01-01T00:00:00.000Z')
const CUT = new Date('2026-02-01T00:00:00.000Z')
const NEW = new Date('2026-03-01T00:00:00.000Z')

const org_id = randomUUID()

async function addDevice(deleted_at: Date | null): Promise<string> {
  const id = randomUUID()
  const device = {
    org_id,
    id,
    provider_name: `enterprises/LC1/devices/${id}`,
    state: deleted_at ? 'deleted' : 'active',
    management_mode: 'fully_managed',
    ownership: 'company_owned',
    ownership_type: 'company_owned',
    compliance_state: 'unknown',
    enrolled_at: OLD,
    deleted_at,
    created_at: OLD,
    updated_at: OLD,
  } as const
  await sql`insert into mdm_devices select * from json_populate_record(null::mdm_devices,
    ${JSON.stringify({ ...device, custom_attributes: {}, non_compliance_details: [], first_seen: {} })}::json)`.execute(
    db,
  )
  return id
}

async function addCommand(device_id: string, completed_at: Date | null, group?: string) {
  const command = {
    org_id,
    id: randomUUID(),
    device_id,
    group_command_id: group ?? null,
    type: 'LOCK',
    parameters: {},
    status: completed_at ? 'acknowledged' : 'queued',
    expires_at: NEW,
    created_at: OLD,
    completed_at,
  }
  await sql`insert into mdm_commands select * from json_populate_record(null::mdm_commands,
    ${JSON.stringify(command)}::json)`.execute(db)
}

describe('the retention of records', () => {
  it('deletes devices after their commands, and group commands after all of theirs', async () => {
    const deleted = await addDevice(OLD)
    const active = await addDevice(null)
    const recent = await addDevice(NEW)
    const group = randomUUID()
    await db
      .insertInto('mdm_group_commands')
      .values({
        org_id,
        id: group,
        group_id: randomUUID(),
        type: 'LOCK',
        total: 2,
        skipped: 0,
        created_by: null,
        created_at: OLD,
      })
      .execute()
    await addCommand(deleted, OLD, group)
    await addCommand(active, null, group)
    expect(await sweepDevices(db, CUT)).toBe(0)
    expect(await sweepGroupCommands(db, CUT)).toBe(0)
    expect(await sweepCommands(db, CUT)).toBe(1)
    expect(await sweepDevices(db, CUT)).toBe(1)
    expect(await sweepGroupCommands(db, CUT)).toBe(0)
    await db.deleteFrom('mdm_commands').execute()
    expect(await sweepGroupCommands(db, CUT)).toBe(1)
    const left = await db.selectFrom('mdm_devices').select('id').execute()
    expect(left.map(({ id }) => id).toSorted()).toEqual([active, recent].toSorted())
    const counts = await db
      .selectFrom('mdm_device_counts')
      .select(['state', 'devices'])
      .where('devices', '>', 0)
      .orderBy('state')
      .execute()
    expect(counts).toEqual([
      { state: 'active', devices: 1 },
      { state: 'deleted', devices: 1 },
    ])
  })

  it('deletes only old notifications, sign-ups and tokens', async () => {
    const of = (received_at: Date) => ({ message_id: randomUUID(), received_at })
    await db
      .insertInto('mdm_notifications')
      .values([of(OLD), of(NEW)])
      .execute()
    expect(await sweepNotifications(db, CUT)).toBe(1)
    const signup = (created_at: Date) => ({ org_id, name: randomUUID(), created_at })
    await db
      .insertInto('mdm_signups')
      .values([signup(OLD), signup(NEW)])
      .execute()
    expect(await sweepSignups(db, CUT)).toBe(1)
    const token = (expires_at: Date) => ({
      org_id,
      id: randomUUID(),
      policy_id: randomUUID(),
      management_mode: 'fully_managed' as const,
      provider_name: 'enterprises/LC1/enrollmentTokens/1',
      duration_hours: 1,
      one_time: false,
      token_value: 'sealed',
      qr_content: 'sealed',
      expires_at,
      created_by: null,
      created_at: OLD,
    })
    await db
      .insertInto('mdm_enrollment_tokens')
      .values([token(OLD), token(NEW)])
      .execute()
    expect(await sweepEnrollmentTokens(db, CUT)).toBe(1)
  })
})

/**
 * A count is changed by adding to it under the lock of its row (`on conflict do update`), so that changes
 * and deletions are sequential. Neither order loses anything: after a change, the count is no longer zero,
 * and a change of a deleted row inserts it again.
 */
describe('counts of devices that are zero', () => {
  const countsOf = async (orgId: string) =>
    await db
      .selectFrom('mdm_device_counts')
      .select(['state', 'devices'])
      .where('org_id', '=', orgId)
      .orderBy('state')
      .execute()
  /** Adds an active device, and a count of zero disabled ones. */
  async function open() {
    const fleet = randomUUID()
    const device = await addDeviceOf(db, { org_id: fleet, state: 'disabled' })
    const become = async (handle: Db, state: 'active' | 'disabled') =>
      await handle.updateTable('mdm_devices').set({ state }).where('id', '=', device.id).execute()
    await become(db, 'active')
    return { fleet, become }
  }
  const ZERO = { state: 'disabled', devices: 0 }
  const ONE = { state: 'active', devices: 1 }

  it('are deleted, and no others', async () => {
    const { fleet, become } = await open()
    expect(await countsOf(fleet)).toEqual([ONE, ZERO])
    while ((await sweepDeviceCounts(db)) > 0);
    expect(await countsOf(fleet)).toEqual([ONE])
    await become(db, 'disabled')
    expect(await countsOf(fleet)).toEqual([
      { ...ONE, devices: 0 },
      { ...ZERO, devices: 1 },
    ])
  })

  it('are skipped while another transaction changes them', async () => {
    const { fleet, become } = await open()
    await db.transaction().execute(async (tx) => {
      await become(tx, 'disabled')
      await sweepDeviceCounts(db)
    })
    expect(await countsOf(fleet)).toEqual([
      { ...ONE, devices: 0 },
      { ...ZERO, devices: 1 },
    ])
  })

  it('are inserted again by a transaction that waited for the deletion', async () => {
    const { fleet, become } = await open()
    const outcome = await whileHeld(
      db,
      async (tx) => await sweepDeviceCounts(tx),
      async () => await become(db, 'disabled'),
    )
    expect(outcome.status).toBe('fulfilled')
    expect(await countsOf(fleet)).toEqual([
      { ...ONE, devices: 0 },
      { ...ZERO, devices: 1 },
    ])
  })

  it('are right after concurrent changes and deletions', async () => {
    const { fleet, become } = await open()
    const over = new AbortController()
    const sweeping = async () => {
      while (!over.signal.aborted) await sweepDeviceCounts(db)
    }
    const counting = async () => {
      for (let turn = 0; turn < 100; turn += 1) {
        await become(db, turn % 2 === 0 ? 'disabled' : 'active')
      }
    }
    const sweeps = [sweeping(), sweeping()]
    await counting().finally(() => over.abort())
    await Promise.all(sweeps)
    while ((await sweepDeviceCounts(db)) > 0);
    expect(await countsOf(fleet)).toEqual([ONE])
  })
})

describe('the audit log', () => {
  it.each([
    'update mdm_audit_log set action = action',
    'delete from mdm_audit_log',
    'truncate mdm_audit_log',
  ])('refuses to run: %s', async (statement) => {
    await db
      .insertInto('mdm_audit_log')
      .values({
        org_id,
        id: randomUUID(),
        action: 'group.created',
        actor_type: 'system',
        actor_id: null,
        target_type: 'group',
        target_id: null,
        device_id: null,
        before: null,
        after: null,
        created_at: OLD,
      })
      .execute()
    await expect(sql.raw(statement).execute(db)).rejects.toThrow('mdm_audit_log is append-only')
  })
})
