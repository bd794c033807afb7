/** Inserts enterprises, policies, devices and commands for tests of the dispatcher. */

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { PROJECT } from '../../emulators/android-management/state.ts'
import type {
  AndroidManagement,
  Answer,
  ProviderFault,
} from '../../src/modules/mdm/providers/port.ts'
import type { DispatchKind, MdmTables } from '../../src/modules/mdm/tables.ts'
import { createIds } from '../../src/platform/ids.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { addDevices, managedDevice, queuedCommand } from './mdm.ts'

type Device = MdmTables['mdm_devices']
type Command = MdmTables['mdm_commands']
type Policy = MdmTables['mdm_policies']

const newId = createIds()

export async function addEnterprise(db: Db, orgId: string = randomUUID()): Promise<string> {
  await sql`insert into mdm_enterprises (org_id, name, project_id, display_name, created_at,
    listing_due_at) values (${orgId}, ${`enterprises/LC${orgId}`}, ${PROJECT}, 'Test', now(), now())`.execute(
    db,
  )
  return orgId
}

export async function addPolicy(
  db: Db,
  orgId: string,
  given: Partial<Policy> = {},
): Promise<Policy> {
  const policy: Policy = {
    org_id: orgId,
    id: newId(new Date()),
    name: 'Tills',
    description: '',
    management_mode: 'fully_managed',
    policy_json: { cameraDisabled: true },
    version: 1,
    published_version: null,
    provider_version: null,
    publish_error: null,
    created_at: new Date(),
    updated_at: new Date(),
    ...given,
  }
  await db.insertInto('mdm_policies').values(policy).execute()
  return policy
}

/** A device that has not reported yet. */
export const newDevice = (orgId: string, given: Partial<Device> = {}): Device => {
  const id = given.id ?? newId(new Date())
  const now = new Date()
  return managedDevice({
    id,
    org_id: orgId,
    provider_name: `enterprises/LC${orgId}/devices/${id}`,
    serial_number: null,
    security_patch_level: null,
    enrolled_at: now,
    last_report_at: null,
    created_at: now,
    updated_at: now,
    ...given,
  })
}

export async function addDevice(
  db: Db,
  orgId: string,
  given: Partial<Device> = {},
): Promise<Device> {
  const device = newDevice(orgId, given)
  await addDevices(db, [device])
  return device
}

/** Adds a command, with its dispatch while it is queued. */
export async function addCommand(
  db: Db,
  { org_id, id: device_id }: Pick<Device, 'org_id' | 'id'>,
  given: Partial<Command> = {},
): Promise<Command> {
  const created_at = given.created_at ?? new Date()
  const id = newId(created_at)
  const command = queuedCommand({ org_id, device_id, id, ...given, created_at })
  await db.insertInto('mdm_commands').values(command).execute()
  if (command.status === 'queued') await addDispatch(db, org_id, 'issue_command', command.id)
  return command
}

export async function addDispatch(
  db: Db,
  orgId: string,
  kind: DispatchKind,
  subjectId: string,
): Promise<void> {
  await sql`insert into mdm_dispatches (org_id, kind, subject_id, due_at, created_at)
    values (${orgId}, ${kind}, ${subjectId}, now(), now())`.execute(db)
}

export async function commandOf(db: Db, { id }: { id: string }): Promise<Command> {
  return await db
    .selectFrom('mdm_commands')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function dispatchesOf(db: Db, orgId: string): Promise<MdmTables['mdm_dispatches'][]> {
  return await db
    .selectFrom('mdm_dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('subject_id')
    .execute()
}

export async function actionsOf(db: Db, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mdm_audit_log')
    .select('action')
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action)
}

type EventBody = { type: string; data: Record<string, unknown> }

/** The events of an organization, oldest first. */
export async function eventsOf(db: Db, orgId: string): Promise<EventBody[]> {
  const { rows } = await sql<{ body: string }>`
    select body from events where org_id = ${orgId} order by id`.execute(db)
  return rows.map(({ body }) => JSON.parse(body) as EventBody)
}

export const ok = <T>(value: T): Answer<T> => ({ ok: true, value })
export const fault = (given: Partial<ProviderFault> & Pick<ProviderFault, 'kind'>) => ({
  ok: false as const,
  fault: { message: `Google said ${given.kind}.`, is_ambiguous: false, ...given },
})

/** A call that the test does not script fails. */
export function fakeProvider(given: Partial<AndroidManagement>): AndroidManagement {
  return new Proxy(given, {
    get: (scripted, name) =>
      (Reflect.get(scripted, name) as unknown) ??
      (() => Promise.reject(new Error(`${String(name)} was not expected`))),
  }) as AndroidManagement
}
