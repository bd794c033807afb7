/** Reads all rows about managed devices, in the order of their creation. */
import { sql } from 'kysely'
import type { MdmTables } from '../../src/modules/mdm/tables.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'

export type DeviceRow = MdmTables['mdm_devices']
export type CommandRow = MdmTables['mdm_commands']
export type PolicyRow = MdmTables['mdm_policies']
export type GroupRow = MdmTables['mdm_groups']
export type GroupCommandRow = MdmTables['mdm_group_commands']
export type AuditRow = MdmTables['mdm_audit_log']
export type EventRow = { type: string; data: { id: string } & Record<string, unknown> }

export type Rows = {
  devices: DeviceRow[]
  commands: CommandRow[]
  policies: PolicyRow[]
  groups: GroupRow[]
  group_commands: GroupCommandRow[]
  audit: AuditRow[]
  events: EventRow[]
  /** Rows that should not exist, or contradict others. */
  leftovers: string[]
}

export const readRows = async (dataDir: string): Promise<Rows> =>
  await withDatabase(dataDir, async (db) => ({
    devices: await all(db, 'mdm_devices'),
    commands: await all(db, 'mdm_commands'),
    policies: await all(db, 'mdm_policies'),
    groups: await all(db, 'mdm_groups'),
    group_commands: await all(db, 'mdm_group_commands'),
    audit: await all(db, 'mdm_audit_log'),
    events: await readEvents(db),
    leftovers: await readLeftovers(db),
  }))

async function all<Row>(db: Database, table: string): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by id`.execute(db)
  return rows
}

async function readEvents(db: Database): Promise<EventRow[]> {
  const { rows } = await sql<{ type: string; body: string }>`
    select type, body from events where type like 'mdm.%' order by id`.execute(db)
  return rows.map(({ type, body }) => {
    const { data } = JSON.parse(body) as { data: EventRow['data'] }
    return { type, data }
  })
}

async function readLeftovers(db: Database): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    select 'waits to be sent: ' || kind || ' ' || subject_id as what from mdm_dispatches
    union all
    select 'a password of a command that ended: ' || id from mdm_commands
      where new_password is not null and status <> 'queued'
    union all
    select 'an unsure command that is sent or ended: ' || id from mdm_commands
      where unsure_since is not null and status <> 'queued'
    union all
    select 'a wrong count of devices: ' || coalesce(key, '') from (
      select concat_ws(' ', state, management_mode, compliance_state,
        coalesce(group_id, '00000000-0000-0000-0000-000000000000')) as key, count(*) as n
      from mdm_devices group by 1
) actual full join (
      select concat_ws(' ', state, management_mode, compliance_state, group_id) as key,
        devices as n from mdm_device_counts where devices <> 0
) stored using (key) where actual.n is distinct from stored.n
    union all
    select 'a wrong count of entries: ' || coalesce(key, '') from (
      select action as key, count(*) as n from mdm_audit_log group by 1
) actual full join (
      select action as key, sum(entries) as n from mdm_audit_counts group by 1
) stored using (key) where actual.n is distinct from stored.n
    union all
    select 'a wrong number of commands of a group: ' || g.id from mdm_group_commands g
      where g.total <> (select count(*) from mdm_commands c where c.group_command_id = g.id)
    union all
    select 'a device without the policy of its group: ' || d.id from mdm_devices d
      left join mdm_groups g on g.id = d.group_id
      where d.policy_id is distinct from coalesce(g.policy_id, d.enrolled_policy_id)
        and d.state <> 'deleted'
    union all
    select 'a device in a group that is deleted: ' || d.id from mdm_devices d
      where d.group_id is not null and not exists (select from mdm_groups g where g.id = d.group_id)
  `.execute(db)
  return rows.map(({ what }) => what)
}
