/** SQL of the changes that users make to a device. */
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeviceRow } from './record.ts'

export type Metadata = Pick<
  DeviceRow,
  'name' | 'ownership_type' | 'assigned_user_id' | 'custom_attributes'
>

/** Reports that arrive in the meantime wait for the lock. */
export const lockDevice = async (tx: Db, org_id: string, id: string) =>
  await tx
    .selectFrom('mdm_devices')
    .selectAll()
    .where((eb) => eb.and({ org_id, id }))
    .forUpdate()
    .executeTakeFirst()

export async function updateDevice(
  tx: Db,
  { org_id, id }: Pick<DeviceRow, 'org_id' | 'id'>,
  columns: Partial<Metadata & Pick<DeviceRow, 'deletion_requested_at' | 'updated_at'>>,
): Promise<void> {
  await tx
    .updateTable('mdm_devices')
    .set(columns)
    .where((eb) => eb.and({ org_id, id }))
    .execute()
}
