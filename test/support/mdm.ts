/** Inserts devices, commands and audit entries for tests that only read them. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type AuditAction, auditEntry, PROVIDER } from '../../src/modules/mdm/audit/entry.ts'
import { insertAuditEntries } from '../../src/modules/mdm/audit/store.ts'
import type { MdmTables, NonComplianceDetail } from '../../src/modules/mdm/tables.ts'
import { createIds } from '../../src/platform/ids.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

type Device = MdmTables['mdm_devices']
type Command = MdmTables['mdm_commands']

const ENROLLED = new Date('2026-02-01T08:00:00.000Z')
const REPORTED = new Date('2026-03-01T12:00:00.000Z')
/** PostgreSQL takes 65,535 parameters in a statement. */
const ROWS_PER_INSERT = 500

/** A device that is active, compliant and in no group unless `given` says otherwise. */
export function managedDevice(given: Partial<Device> & { org_id: string }): Device {
  const serial = randomBytes(6).toString('hex').toUpperCase()
  return {
    id: createIds()(given.created_at ?? ENROLLED),
    provider_name: `enterprises/LC1/devices/${serial}`,
    state: 'active',
    management_mode: 'fully_managed',
    ownership: 'company_owned',
    ownership_type: 'company_owned',
    name: null,
    assigned_user_id: null,
    custom_attributes: {},
    group_id: null,
    enrolled_policy_id: null,
    policy_id: null,
    enrollment_token_id: null,
    applied_policy_id: null,
    applied_policy_version: null,
    policy_error: null,
    compliance_state: 'compliant',
    non_compliance_details: [],
    first_seen: {},
    policy_compliant: true,
    grace_period_expires_at: given.compliance_state === 'grace_period' ? REPORTED : null,
    compliance_due_at: null,
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 9',
    serial_number: serial,
    enterprise_specific_id: null,
    os_version: '16',
    security_patch_level: '2026-02-05',
    api_level: 36,
    enrolled_at: ENROLLED,
    last_report_at: REPORTED,
    deletion_requested_at: null,
    deleted_at: given.state === 'deleted' ? REPORTED : null,
    deleted_by: given.state === 'deleted' ? 'report' : null,
    missing_since: null,
    created_at: ENROLLED,
    updated_at: REPORTED,
    ...given,
  }
}

export async function addDevices(db: Db, devices: readonly Device[]): Promise<void> {
  const rows = JSON.stringify(devices)
  await sql`insert into mdm_devices
    select * from jsonb_populate_recordset(null::mdm_devices, ${rows}::jsonb)`.execute(db)
}

export async function addDevice(
  db: Db,
  given: Partial<Device> & { org_id: string },
): Promise<Device> {
  const device = managedDevice(given)
  await addDevices(db, [device])
  return device
}

export const violation = (
  setting_name: string,
  given: Partial<NonComplianceDetail> = {},
): NonComplianceDetail => ({
  setting_name,
  field_path: null,
  package_name: null,
  reason: 'USER_ACTION',
  specific_reason: null,
  installation_failure_reason: null,
  first_seen_at: '2026-03-01T12:00:00.000Z',
  grace_period_expires_at: '2026-03-02T12:00:00.000Z',
  ...given,
})

type GivenCommand = Partial<Command> & Pick<Command, 'org_id' | 'device_id'>

/** A command that is queued unless `given` says otherwise. */
export function queuedCommand(given: GivenCommand): Command {
  const created_at = given.created_at ?? REPORTED
  return {
    id: createIds()(created_at),
    group_command_id: null,
    type: 'LOCK',
    parameters: {},
    new_password: null,
    status: 'queued',
    error: null,
    operation_name: null,
    unsure_since: null,
    expires_at: new Date(created_at.getTime() + 7 * 86_400_000),
    check_due_at: null,
    created_by: null,
    created_at,
    sent_at: null,
    completed_at: null,
    ...given,
  }
}

export async function addCommand(db: Db, given: GivenCommand): Promise<Command> {
  const command = queuedCommand(given)
  await db.insertInto('mdm_commands').values(command).execute()
  return command
}

/** Adds one entry about a device per time. @returns their ids in the order of the times */
export async function addAuditEntries(
  db: Db,
  orgId: string,
  times: readonly Date[],
  {
    action = 'device.state_changed',
    device_id = randomUUID(),
  }: { action?: AuditAction; device_id?: string } = {},
): Promise<string[]> {
  const newId = createIds()
  const target = { type: 'device', id: device_id } as const
  const rows = times.map((time) =>
    auditEntry(newId, time, { org_id: orgId, action, actor: PROVIDER, target }),
  )
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    await insertAuditEntries(db, rows.slice(at, at + ROWS_PER_INSERT))
  }
  return rows.map(({ id }) => id)
}
