/** SQL that finds commands without a result, for a check with the provider. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { unnested } from '../keys.store.ts'
import type { CommandRow } from './record.ts'
import type { CommandKey } from './store.ts'

export type CommandToCheck = CommandRow & {
  device_name: string
  is_expired: boolean
  /** The provider has ended the command by now, if it ever received it. */
  is_long_expired: boolean
}

export type CheckClaim = { status: 'queued' | 'sent'; limit: number; lease_seconds: number }

/** Leases the commands that are due, so that no other process checks them at the same time. */
export async function claimChecks(
  db: Db,
  { status, limit, lease_seconds }: CheckClaim,
): Promise<CommandToCheck[]> {
  const { rows } = await sql<CommandToCheck>`
    with due as materialized (
      select org_id, id from mdm_commands where status = ${status} and check_due_at <= now()
      order by check_due_at limit ${limit}::integer for no key update skip locked
    )
    update mdm_commands c
    set check_due_at = now() + ${lease_seconds}::float8 * interval '1 second'
    from due, mdm_devices d
    where c.org_id = due.org_id and c.id = due.id and d.org_id = c.org_id and d.id = c.device_id
    returning c.*, d.provider_name as device_name, c.expires_at <= now() as is_expired,
      c.expires_at <= now() - interval '1 hour' as is_long_expired`.execute(db)
  return rows
}

export async function updateCheckDue(
  db: Db,
  keys: readonly CommandKey[],
  inSeconds: number,
): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update mdm_commands c set check_due_at = now() + ${inSeconds}::float8 * interval '1 second'
    from ${unnested(keys, 'id')} as g (org_id, id)
    where c.org_id = g.org_id and c.id = g.id and c.completed_at is null`.execute(db)
}

/** Whether a dispatcher is sending the command at the moment. */
export async function isBeingSent(tx: Db, { org_id, id }: CommandKey): Promise<boolean> {
  const { rows } = await sql`
    select from mdm_dispatches where org_id = ${org_id} and kind = 'issue_command'
      and subject_id = ${id} and leased_until > now()`.execute(tx)
  return rows.length > 0
}
