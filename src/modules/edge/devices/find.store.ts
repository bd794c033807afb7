/** Finds edge devices by their ids, or by a part of the id, name, firmware version or a tag. */
import { COMPARED_MAX, type Finder } from '../../../platform/postgres/name-search.ts'
import { browseDevices } from './browse.store.ts'

export const findEdgeDevicesByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  const exact = await db
    .selectFrom('edge_devices')
    .select(['device_id', 'name'])
    .where((eb) => eb.and({ org_id, mode, device_id: text }))
    .execute()
  const query = { text, limit, examined_max: COMPARED_MAX }
  const { rows } = await browseDevices(db, { org_id, mode }, query)
  const others = rows.filter(({ device_id }) => device_id !== text)
  return [...exact, ...others].slice(0, limit).map(({ device_id, name }) => ({
    name: device_id,
    remark: name,
    link: `/logs/device?${new URLSearchParams({ device_id }).toString()}`,
  }))
}
