/** SQL that writes changed devices, any number of them with one statement each. */
import { sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { unnested } from '../keys.store.ts'
import type { DeviceRow } from './record.ts'
import type { DeviceKey } from './store.ts'

/** Columns that reports and deadlines change. */
const REPORTED = [
  'provider_name',
  'state',
  'management_mode',
  'ownership',
  'ownership_type',
  'group_id',
  'enrolled_policy_id',
  'policy_id',
  'enrollment_token_id',
  'applied_policy_id',
  'applied_policy_version',
  'policy_error',
  'compliance_state',
  'non_compliance_details',
  'first_seen',
  'policy_compliant',
  'grace_period_expires_at',
  'compliance_due_at',
  'brand',
  'manufacturer',
  'model',
  'serial_number',
  'enterprise_specific_id',
  'os_version',
  'security_patch_level',
  'api_level',
  'enrolled_at',
  'last_report_at',
  'deletion_requested_at',
  'deleted_at',
  'deleted_by',
  'missing_since',
  'updated_at',
] as const satisfies readonly (keyof DeviceRow)[]

const ALL = [
  'org_id',
  'id',
  ...REPORTED,
  'name',
  'assigned_user_id',
  'custom_attributes',
  'created_at',
] as const satisfies readonly (keyof DeviceRow)[]

const rowsOf = (rows: readonly DeviceRow[]) =>
  sql`json_populate_recordset(null::mdm_devices, ${JSON.stringify(rows)}::json)`

export async function insertDevices(tx: Db, rows: readonly DeviceRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = sql.raw(ALL.join(', '))
  await sql`insert into mdm_devices (${columns}) select ${columns} from ${rowsOf(rows)}`.execute(tx)
}

/** The caller holds the locks of the rows. */
export async function updateReported(tx: Db, rows: readonly DeviceRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update mdm_devices d set ${sql.raw(REPORTED.map((name) => `${name} = g.${name}`).join(', '))}
    from ${rowsOf(rows)} g where d.org_id = g.org_id and d.id = g.id`.execute(tx)
}

type Counted = Pick<
  DeviceRow,
  'org_id' | 'state' | 'management_mode' | 'compliance_state' | 'group_id'
>

/**
 * An insert of devices changes their counts in the order of the key, and so does an update. A
 * transaction that does both first locks all counts that it will change.
 */
export async function lockCounts(tx: Db, rows: readonly Counted[]): Promise<void> {
  const keys = rows.map(({ org_id, state, management_mode, compliance_state, group_id }) => {
    return { org_id, state, management_mode, compliance_state, group_id }
  })
  await sql`
    insert into mdm_device_counts as c
      (org_id, state, management_mode, compliance_state, group_id, devices)
    select distinct org_id, state, management_mode, compliance_state,
      coalesce(group_id, '00000000-0000-0000-0000-000000000000'), 0
    from json_to_recordset(${JSON.stringify(keys)}::json) as g (org_id uuid, state text,
      management_mode text, compliance_state text, group_id uuid)
    order by 1, 2, 3, 4, 5
    on conflict (org_id, state, management_mode, compliance_state, group_id)
      do update set devices = c.devices`.execute(tx)
}

export async function insertFormerNames(
  tx: Db,
  names: readonly { org_id: string; name: string }[],
  now: Date,
): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into mdm_former_names (org_id, provider_name, created_at)
    select distinct org_id, name, ${now}::timestamptz from unnest(
      ${uuidArray(names.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(names.map(({ name }) => name))}::text[]) as g (org_id, name)
    order by 1, 2 on conflict do nothing`.execute(tx)
}

/** A dispatch that waits already keeps its time, so that reports do not undo a delay. */
export async function requestMissingAssignments(
  tx: Db,
  devices: readonly DeviceKey[],
): Promise<void> {
  if (devices.length === 0) return
  await sql`
    insert into mdm_dispatches (org_id, kind, subject_id, due_at, created_at)
    select org_id, 'assign_policy', id, now(), now()
    from ${unnested(devices, 'id')} as g (org_id, id)
    order by 1, 3 on conflict do nothing`.execute(tx)
}

/**
 * Deletes the dispatches of deleted devices. Those that a dispatcher has locked are skipped: it may be
 * settling the same deletion, and waiting for it could deadlock.
 */
export async function dropDispatches(tx: Db, devices: readonly DeviceKey[]): Promise<void> {
  if (devices.length === 0) return
  await sql`
    delete from mdm_dispatches where (org_id, kind, subject_id) in (
      select d.org_id, d.kind, d.subject_id
      from mdm_dispatches d join ${unnested(devices, 'id')} as g (org_id, id)
      on d.org_id = g.org_id and d.kind in ('assign_policy', 'delete_device')
        and d.subject_id = g.id
      for update of d skip locked)`.execute(tx)
}

/** The tokens that devices enrolled with, one for each enrollment. They are locked in the order of their ids. */
export async function markTokensUsed(
  tx: Db,
  tokens: readonly DeviceKey[],
  now: Date,
): Promise<void> {
  if (tokens.length === 0) return
  await sql`
    with counted as (
      select org_id, id, count(*)::integer as uses
      from ${unnested(tokens, 'id')} as g (org_id, id) group by 1, 2
    ), locked as (
      select t.org_id, t.id, c.uses
      from mdm_enrollment_tokens t join counted c on t.org_id = c.org_id and t.id = c.id
      order by 1, 2 for update of t
    )
    update mdm_enrollment_tokens t
    set used_at = coalesce(t.used_at, ${now}), uses = t.uses + l.uses
    from locked l where t.org_id = l.org_id and t.id = l.id`.execute(tx)
}
