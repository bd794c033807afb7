/** Finds the devices that a complete listing did not contain, unless their number is implausible. */
import type { Db } from '../../../platform/postgres/db.ts'
import { MISSING_MS } from '../devices/change.ts'
import { type ListedDevice, type ListingLease, listManaged } from './store.ts'

/** Up to this number of devices can be deleted together, whatever their share of the fleet. */
export const MASS_MIN = 10
const PAGE = 1000
const FIRST = '00000000-0000-0000-0000-000000000000'

export type MissingDevices = {
  devices: ListedDevice[]
  /** Number of managed devices. */
  total: number
  /** Number of devices that were missing long enough to be deleted now. */
  due: number
  /** More than half of the fleet would be deleted; `devices` does not contain those. */
  is_held_back: boolean
}

/** Holds mass deletions back, so that an empty list by mistake does not delete the whole fleet. */
export async function findMissingDevices(
  db: Db,
  { org_id, mass_missing_since }: Pick<ListingLease, 'org_id' | 'mass_missing_since'>,
  names: ReadonlySet<string>,
  now: Date,
): Promise<MissingDevices> {
  const devices: ListedDevice[] = []
  let total = 0
  let after = FIRST
  for (;;) {
    const page = await listManaged(db, org_id, { after, limit: PAGE })
    total += page.length
    devices.push(...page.filter(({ provider_name }) => !names.has(provider_name)))
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
  }
  const due = devices.filter(({ missing_since }) => isDue(missing_since, now)).length
  const isMass = due > MASS_MIN && due > total / 2
  const isHeldBack = isMass && !isDue(mass_missing_since, now)
  return {
    devices: isHeldBack ? devices.filter(({ missing_since }) => missing_since === null) : devices,
    total,
    due,
    is_held_back: isHeldBack,
  }
}

const isDue = (since: Date | null, now: Date): boolean =>
  since !== null && now.getTime() - since.getTime() >= MISSING_MS
