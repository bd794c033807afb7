/** SQL of the listings of devices. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

export type ListingLease = {
  org_id: string
  /** Name of the enterprise at the provider. */
  name: string
  lease_id: string
  mass_missing_since: Date | null
}

/** Leases the enterprise that has been due the longest, by the clock of the database. */
export async function claimListing(
  db: Db,
  leaseId: string,
  leaseSeconds: number,
): Promise<ListingLease | undefined> {
  const { rows } = await sql<ListingLease>`
    update mdm_enterprises e set listing_lease_id = ${leaseId}::uuid,
      listing_leased_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    from (
      select org_id from mdm_enterprises
      where listing_due_at <= now() and (listing_leased_until is null or listing_leased_until <= now())
      order by listing_due_at limit 1 for no key update skip locked
    ) due where e.org_id = due.org_id
    returning e.org_id, e.name, e.listing_lease_id as lease_id, e.mass_missing_since`.execute(db)
  return rows[0]
}

/** @returns whether the lease was still held */
export async function extendListing(
  db: Db,
  { org_id, lease_id }: Pick<ListingLease, 'org_id' | 'lease_id'>,
  leaseSeconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mdm_enterprises
    set listing_leased_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where org_id = ${org_id} and listing_lease_id = ${lease_id}::uuid`.execute(db)
  return numAffectedRows === 1n
}

export async function endListing(
  db: Db,
  { org_id, lease_id }: Pick<ListingLease, 'org_id' | 'lease_id'>,
  end: { next_in_seconds: number; mass_missing_since: Date | null },
): Promise<void> {
  await sql`
    update mdm_enterprises set listing_lease_id = null, listing_leased_until = null,
      listing_due_at = now() + make_interval(secs => ${end.next_in_seconds}::float8),
      mass_missing_since = ${end.mass_missing_since}::timestamptz
    where org_id = ${org_id} and listing_lease_id = ${lease_id}::uuid`.execute(db)
}

export type ListedDevice = {
  id: string
  provider_name: string
  missing_since: Date | null
}

/** Managed devices in the order of their ids. */
export async function listManaged(
  db: Db,
  orgId: string,
  page: { after: string; limit: number },
): Promise<ListedDevice[]> {
  const { rows } = await sql<ListedDevice>`
    select id, provider_name, missing_since from mdm_devices
    where org_id = ${orgId} and id > ${page.after}::uuid and state <> 'deleted'
    order by id limit ${page.limit}`.execute(db)
  return rows
}
