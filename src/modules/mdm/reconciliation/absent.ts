/** Which devices a whole listing was without, and whether there are too many to believe it. */
import type { Db } from '../../../platform/postgres/db.ts'
import { MISSING_MS } from '../devices/change.ts'
import { type ListedDevice, type ListingLease, listManaged } from './store.ts'

/** So many may go at once whatever part of all they are. */
export const MASS_MIN = 10
const PAGE = 1000
const FIRST = '00000000-0000-0000-0000-000000000000'

export type Absent = {
  devices: ListedDevice[]
  /** Managed devices that there are. */
  total: number
  /** Of them, those that were missing before already. */
  going: number
  /** More than half would go; those that would are not among `devices`. */
  is_held_back: boolean
}

/** A provider that answers with an empty list by mistake must not cost the whole fleet. */
export async function absentDevices(
  db: Db,
  { org_id, mass_missing_since }: Pick<ListingLease, 'org_id' | 'mass_missing_since'>,
  names: ReadonlySet<string>,
  now: Date,
): Promise<Absent> {
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
  const going = devices.filter(({ missing_since }) => isOlder(missing_since, now)).length
  const isMass = going > MASS_MIN && going > total / 2
  const isHeldBack = isMass && !isOlder(mass_missing_since, now)
  return {
    devices: isHeldBack ? devices.filter(({ missing_since }) => missing_since === null) : devices,
    total,
    going,
    is_held_back: isHeldBack,
  }
}

/** Than two listings have to lie apart. */
const isOlder = (since: Date | null, now: Date): boolean =>
  since !== null && now.getTime() - since.getTime() >= MISSING_MS
