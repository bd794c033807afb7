/** SQL of what people change about a device. */
import type { Db } from '../../../../platform/postgres/db.ts'
import type { DeviceRow } from '../record.ts'

export type Metadata = Pick<
  DeviceRow,
  'name' | 'ownership_type' | 'assigned_user_id' | 'custom_attributes'
>

/** What the provider tells meanwhile is written before or after. */
export const lockDevice = async (
  tx: Db,
  orgId: string,
  deviceId: string,
): Promise<DeviceRow | undefined> =>
  await tx
    .selectFrom('mdm_devices')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', deviceId)
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
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}
