/** Changes that users make to a device: its metadata, and the request to unenroll and wipe it. */
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { lockDevice, type Metadata, updateDevice } from './editing.store.ts'
import { type DeviceRow, toDevice } from './record.ts'
import type { Device, DeviceUpdate } from './schema.ts'

export type DeviceEditingDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  /** Wakes the dispatcher. */
  hint: () => void
  mdm_attributes_max_bytes: number
}

/** The device, and the user who changes it. */
export type DeviceSubject = { org_id: string; device_id: string; user_id: string }

/** The methods return undefined for a device that the organization does not have. */
export type DeviceEditing = {
  /** @throws AppError 400 naming `custom_attributes`, or `device_id` when the device is deleted */
  update(subject: DeviceSubject, update: DeviceUpdate): Promise<Device | undefined>
  /**
   * A repeated request answers the same and changes nothing.
   *
   * @throws AppError 400 naming `device_id` when the device was deleted without a request
   */
  requestDeletion(subject: DeviceSubject): Promise<Device | undefined>
}

export function createDeviceEditing(deps: DeviceEditingDependencies): DeviceEditing {
  const { db, clock, newId, hint, mdm_attributes_max_bytes } = deps
  return {
    update: async (subject, update) => {
      const values = knownValues(update, mdm_attributes_max_bytes)
      return await change(db, subject, async (tx, row) => {
        if (row.state === 'deleted') throw alreadyDeleted()
        const { before, after } = changesOf(row, values)
        if (Object.keys(after).length === 0) return row
        const now = clock.now()
        const columns = { ...after, updated_at: now }
        await updateDevice(tx, row, columns)
        const facts = { ...factsOf(subject), action: 'device.updated', before, after } as const
        await writeAudit(tx, newId, now, facts)
        return { ...row, ...columns }
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
        await writeAudit(tx, newId, now, {
          ...factsOf(subject),
          action: 'device.deletion_requested',
          after: { deletion_requested_at: now.toISOString() },
        })
        return { ...row, ...columns }
      })
      if (device) hint()
      return device
    },
  }
}

const factsOf = ({ org_id, device_id, user_id }: DeviceSubject) => ({
  org_id,
  actor: userActor(user_id),
  target: { type: 'device', id: device_id } as const,
})

const alreadyDeleted = () => invalidRequest('device_id', 'The device is already deleted')

/** Members that the contract does not define are not stored (OP-37). */
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

/** Returns only the members whose values differ. */
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
    return row && toDevice(await work(tx, row))
  })
}
