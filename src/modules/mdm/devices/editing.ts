/** What people change about a device: its metadata, and that it is to be unenrolled and wiped. */

import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { type AuditFacts, auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { lockDevice, type Metadata, updateDevice } from './editing/store.ts'
import { type DeviceRow, shownDevice } from './record.ts'
import type { Device, DeviceUpdate } from './schema.ts'

export type DeviceEditingDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  /** Something is to be brought to the provider. */
  hint: () => void
  mdm_attributes_max_bytes: number
}

/** Of which organisation, and who asks. */
export type DeviceSubject = { org_id: string; device_id: string; user_id: string }

/** A device that is not the organisation's does not exist: undefined. */
export type DeviceEditing = {
  /** @throws AppError 400 naming `custom_attributes`, or `device_id` of a device that is deleted */
  update(subject: DeviceSubject, update: DeviceUpdate): Promise<Device | undefined>
  /**
   * Asked for again, it answers the same and does nothing.
   * @throws AppError 400 naming `device_id` of a device that went without being asked to
   */
  requestDeletion(subject: DeviceSubject): Promise<Device | undefined>
}

export function createDeviceEditing(deps: DeviceEditingDependencies): DeviceEditing {
  const { db, clock, newId, hint, mdm_attributes_max_bytes } = deps
  const note = async (tx: Db, now: Date, facts: AuditFacts) =>
    await insertAuditEntries(tx, [auditEntry(newId, now, facts)])
  return {
    update: async (subject, update) => {
      const { org_id, device_id } = subject
      const values = knownValues(update, mdm_attributes_max_bytes)
      return await change(db, subject, async (tx, row) => {
        if (row.state === 'deleted') throw alreadyDeleted()
        const { before, after } = changesOf(row, values)
        if (Object.keys(after).length === 0) return row
        const now = clock.now()
        const changed = { ...row, ...after, updated_at: now }
        await updateDevice(tx, row, { ...after, updated_at: now })
        const target = { type: 'device', id: device_id } as const
        const actor = userActor(subject.user_id)
        await note(tx, now, { org_id, action: 'device.updated', actor, target, before, after })
        return changed
      })
    },
    requestDeletion: async (subject) => {
      const { org_id, device_id } = subject
      const device = await change(db, subject, async (tx, row) => {
        if (row.deletion_requested_at !== null) return row
        if (row.state === 'deleted') throw alreadyDeleted()
        const now = clock.now()
        const columns = { deletion_requested_at: now, updated_at: now }
        await updateDevice(tx, row, columns)
        await requestDispatches(tx, 'delete_device', [{ org_id, subject_id: device_id }])
        const target = { type: 'device', id: device_id } as const
        const actor = userActor(subject.user_id)
        const after = { deletion_requested_at: now.toISOString() }
        await note(tx, now, { org_id, action: 'device.deletion_requested', actor, target, after })
        return { ...row, ...columns }
      })
      if (device) hint()
      return device
    },
  }
}

const alreadyDeleted = () => invalidRequest('device_id', 'The device is deleted already')

/** Members that the contract does not list are not stored (OP-37). */
function knownValues(update: DeviceUpdate, attributesMaxBytes: number): Partial<Metadata> {
  const { name, ownership_type, assigned_user_id, custom_attributes } = update
  if (
    custom_attributes &&
    Buffer.byteLength(JSON.stringify(custom_attributes)) > attributesMaxBytes
  ) {
    const message = `custom_attributes must not be larger than ${attributesMaxBytes} bytes of JSON`
    throw invalidRequest('custom_attributes', message)
  }
  return {
    ...(name !== undefined && { name }),
    ...(ownership_type !== undefined && { ownership_type }),
    ...(assigned_user_id !== undefined && { assigned_user_id }),
    ...(custom_attributes !== undefined && { custom_attributes }),
  }
}

/** Only the members that are different now. */
function changesOf(row: Metadata, values: Partial<Metadata>) {
  const names = (Object.keys(values) as (keyof Metadata)[]).filter(
    (name) => canonicalJson(row[name]) !== canonicalJson(values[name]),
  )
  const pick = (from: Partial<Metadata>): Partial<Metadata> =>
    Object.fromEntries(names.map((name) => [name, from[name]]))
  return { before: pick(row), after: pick(values) }
}

async function change(
  db: Database,
  { org_id, device_id }: DeviceSubject,
  work: (tx: Db, row: DeviceRow) => Promise<DeviceRow>,
): Promise<Device | undefined> {
  if (!isUuid(device_id)) return undefined
  return await db.transaction().execute(async (tx) => {
    const row = await lockDevice(tx, org_id, device_id)
    return row && shownDevice(await work(tx, row))
  })
}
