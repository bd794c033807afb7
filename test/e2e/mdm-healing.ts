/**
 * Waits until all records agree with the provider after the faults have ended: dispatches are sent, all
 * devices are listed, and commands without a result are checked. The service does that on its own; only
 * its intervals between attempts and between checks, of up to half an hour, are skipped by moving their
 * times into the past.
 */
import { type RawBuilder, sql } from 'kysely'
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import { busyPhones, calm } from './mdm-phones.ts'
import { pause } from './program.ts'

const POLL_MS = 250
/** More than the minimum time between two listings without a device that end it. */
const MISSING_MINUTES = 11
/** One listing finds missing devices, another confirms it, and a third one if most are missing. */
const LISTINGS_MAX = 4

/** @throws when it takes longer than `timeoutMs` */
export async function heal(
  dataDir: string,
  { control }: AndroidEmulator,
  timeoutMs: number,
): Promise<void> {
  control.setFaults({})
  calm(control)
  const deadline = Date.now() + timeoutMs
  await withDatabase(dataDir, async (db) => {
    /** @param open returns what is still open, in words */
    const until = async (open: () => Promise<string[]>): Promise<void> => {
      for (let left = await open(); left.length > 0; left = await open()) {
        if (Date.now() > deadline) throw new Error(`it does not heal: ${left.slice(0, 10).join()}`)
        await pause(POLL_MS)
      }
    }
    const unsettled = async () => [...busyPhones(control), ...(await unsent(db))]
    for (let listings = 0; listings < LISTINGS_MAX; listings += 1) {
      await until(unsettled)
      await makeDue(db)
      await until(() => overdue(db))
      // A check that has begun is not due, but its result may not be stored yet.
      await makeChecksDue(db)
      await until(() => overdue(db))
      if ((await missing(db)).length === 0 && (await unsettled()).length === 0) return
    }
    throw new Error(`devices are still missing: ${(await missing(db)).join()}`)
  })
}

/** Makes failed dispatches due now, except for those that a process has leased. */
async function unsent(db: Database): Promise<string[]> {
  await sql`update mdm_dispatches set due_at = now()
    where due_at > now() and (leased_until is null or leased_until <= now())`.execute(db)
  return await whatIn(
    db,
    sql`select concat_ws(' ', kind, subject_id, attempts, error, 'until ' || leased_until) as what
      from mdm_dispatches`,
  )
}

/**
 * Includes the leases of dead processes, which last for a quarter of an hour or more. A listing in
 * progress began before the faults ended, so that it starts again.
 */
async function makeDue(db: Database): Promise<void> {
  await sql`update mdm_enterprises set listing_due_at = 'epoch', listing_leased_until = null,
    listing_lease_id = null, mass_missing_since = mass_missing_since - ${MINUTES}`.execute(db)
  await sql`update mdm_devices set missing_since = missing_since - ${MINUTES}
    where missing_since is not null`.execute(db)
  await makeChecksDue(db)
}

const makeChecksDue = async (db: Database): Promise<unknown> =>
  await sql`update mdm_commands set check_due_at = 'epoch' where completed_at is null`.execute(db)

const MINUTES = sql`make_interval(mins => ${MISSING_MINUTES}::integer)`

const overdue = async (db: Database): Promise<string[]> =>
  await whatIn(
    db,
    sql`select 'listing ' || name as what from mdm_enterprises
        where listing_due_at <= now() or listing_lease_id is not null
      union all select 'command ' || id from mdm_commands
        where completed_at is null and check_due_at <= now()
      union all select 'device ' || id from mdm_devices where compliance_due_at <= now()`,
  )

const missing = async (db: Database): Promise<string[]> =>
  await whatIn(
    db,
    sql`select provider_name as what from mdm_devices where missing_since is not null`,
  )

async function whatIn(db: Database, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await (query as RawBuilder<{ what: string }>).execute(db)
  return rows.map(({ what }) => what)
}
