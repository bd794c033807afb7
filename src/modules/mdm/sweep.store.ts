/**
 * SQL that deletes expired data of device management in batches. Entries of the audit log are dropped by the month
 * (src/modules/mdm/audit/store.ts).
 */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

const BATCH = 5000

/** @returns number of deleted rows, here and below */
export async function sweepNotifications(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_notifications where message_id in (
      select message_id from mdm_notifications where received_at < ${before}
      order by received_at limit ${BATCH})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

export async function sweepSignups(db: Db, before: Date): Promise<number> {
  const result = await sql`delete from mdm_signups where created_at < ${before}`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

/** @param before leaves time for devices that enrolled at the last moment and report much later */
export async function sweepEnrollmentTokens(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_enrollment_tokens where (org_id, id) in (
      select org_id, id from mdm_enrollment_tokens where expires_at < ${before}
      order by expires_at limit ${BATCH})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

export async function sweepCommands(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_commands where (org_id, id) in (
      select org_id, id from mdm_commands where completed_at < ${before}
      order by completed_at limit ${BATCH})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

/** Deletes devices that have no commands left. */
export async function sweepDevices(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_devices where (org_id, id) in (
      select org_id, id from mdm_devices d where deleted_at < ${before} and not exists (
        select from mdm_commands c where c.org_id = d.org_id and c.device_id = d.id)
      order by deleted_at limit ${BATCH})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

/** Deletes group commands that have no commands left. */
export async function sweepGroupCommands(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from mdm_group_commands where (org_id, id) in (
      select org_id, id from mdm_group_commands g where created_at < ${before} and not exists (
        select from mdm_commands c where c.org_id = g.org_id and c.group_command_id = g.id)
      limit ${BATCH})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

/**
 * Deletes counts that are zero. A row that another transaction is changing is skipped; a transaction
 * that changes a row during the deletion waits, and then inserts it again.
 */
export async function sweepDeviceCounts(db: Db): Promise<number> {
  const result = await sql`
    delete from mdm_device_counts
    where devices = 0 and (org_id, state, management_mode, compliance_state, group_id) in (
      select org_id, state, management_mode, compliance_state, group_id
      from mdm_device_counts where devices = 0
      order by 1, 2, 3, 4, 5 limit ${BATCH} for update skip locked)`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
