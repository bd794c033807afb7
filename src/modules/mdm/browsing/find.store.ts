/** Finds managed devices, groups and policies by a part of their names, serial numbers or ids. */
import { sql } from 'kysely'
import { contains, type Finder, findMiddles } from '../../../platform/postgres/name-search.ts'
import type { DeviceRow } from '../devices/record.ts'
import { findDevicesExactly, searchDevices } from './store.ts'

/** Managed devices exist in live mode only. */
export const findManagedDevicesByPart: Finder = async (db, search) => {
  const { org_id, mode, text: q, limit } = search
  if (mode === 'test') return []
  const exact = await findDevicesExactly(db, org_id, { q }, limit)
  const { rows } = await searchDevices(db, org_id, { q }, { after: undefined, limit })
  const middles =
    rows.length < limit ? await findMiddles<Device>(db, NAMES_AND_SERIALS, search) : []
  const found = new Map([...exact, ...rows, ...middles].map((device) => [device.id, device]))
  return [...found.values()].slice(0, limit).map(({ id, name, serial_number, model }) => ({
    name: name ?? serial_number ?? id,
    remark: [model, name === null ? null : serial_number].filter(Boolean).join(' · ') || null,
    link: `/devices/fleet/${id}`,
  }))
}

type Device = Pick<DeviceRow, 'id' | 'name' | 'serial_number' | 'model'>

const NAMES_AND_SERIALS = {
  table: 'mdm_devices',
  name: sql`lower(left(coalesce(name, '') || ' ' || coalesce(serial_number, ''), 200))`,
  mode: sql`'live'`,
  select: sql<Device>`id, name, serial_number, model`,
}

type Named = { id: string; name: string; kind: 'groups' | 'policies' }

export const findGroupsAndPoliciesByPart: Finder = async (db, { org_id, mode, text, limit }) => {
  if (mode === 'test') return []
  const named = (kind: Named['kind']) => sql`
    select id, name, ${sql.lit(kind)} as kind from ${sql.table(`mdm_${kind}`)}
    where org_id = ${org_id} and ${contains(sql`name`, text)}`
  const { rows } = await sql<Named>`
    ${named('groups')} union all ${named('policies')} order by name limit ${limit}`.execute(db)
  return rows.map(({ id, name, kind }) => ({
    name,
    remark: kind === 'groups' ? 'Group' : 'Policy',
    link: `/devices/${kind}/${id}`,
  }))
}
