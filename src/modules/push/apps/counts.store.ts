/** SQL of the counts of new subscriptions, by application, day in UTC and public key. */
import { sql } from 'kysely'
import { numberArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { ApplicationId } from './registration.store.ts'

const TODAY = sql`(now() at time zone 'utc')::date`

/** Subscriptions that were created today, of applications that have some. */
export async function countCreatedToday(tx: Db, applications: readonly ApplicationId[]) {
  const { rows } = await sql<ApplicationId & { created: number }>`
    select c.org_id, c.application_id, sum(c.created)::float8 as created
    from unnest(${uuidArray(applications.map(({ org_id }) => org_id))}::uuid[],
        ${uuidArray(applications.map(({ application_id }) => application_id))}::uuid[])
          as named (org_id, application_id)
      join push_registration_counts c using (org_id, application_id)
    where c.day = ${TODAY} group by c.org_id, c.application_id`.execute(tx)
  return rows
}

export type RegistrationCount = ApplicationId & { key_id: string; created: number; refused: number }

/** Rows are locked in the order of their key, as in every other batch. */
export async function addCounts(tx: Db, counts: readonly RegistrationCount[]): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into push_registration_counts as c
      (org_id, application_id, day, key_id, created, refused)
    select org_id, application_id, ${TODAY}, key_id, created::bigint, refused::bigint
    from unnest(${uuidArray(counts.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(counts.map(({ application_id }) => application_id))}::uuid[],
      ${uuidArray(counts.map(({ key_id }) => key_id))}::uuid[],
      ${numberArray(counts.map(({ created }) => created))}::float8[],
      ${numberArray(counts.map(({ refused }) => refused))}::float8[])
        as t (org_id, application_id, key_id, created, refused)
    order by org_id, application_id, key_id
    on conflict (org_id, application_id, day, key_id) do update
      set created = c.created + excluded.created, refused = c.refused + excluded.refused
    `.execute(tx)
}

export type DayOfRegistrations = { day: string; key_id: string; created: number; refused: number }

const DAYS_SHOWN = 30
const ROWS_SHOWN_MAX = 1000

/** Newest day first; days and keys without new subscriptions are left out. */
export async function listRegistrationCounts(db: Db, orgId: string, applicationId: string) {
  const { rows } = await sql<DayOfRegistrations>`
    select day::text, key_id, created::float8, refused::float8 from push_registration_counts
    where org_id = ${orgId} and application_id = ${applicationId}
      and day > ${TODAY} - ${DAYS_SHOWN}::integer
    order by day desc, created desc, key_id limit ${ROWS_SHOWN_MAX}`.execute(db)
  return rows
}

const SWEPT_AT_ONCE = 5000

/** @returns number of rows */
export async function sweepRegistrationCounts(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_registration_counts where ctid = any (array(
      select ctid from push_registration_counts where day < ${before}::timestamptz::date
      order by day limit ${SWEPT_AT_ONCE}::integer))`.execute(db)
  return Number(numAffectedRows)
}
