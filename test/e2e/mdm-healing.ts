/**
 * What it takes until everything agrees again, once nothing goes wrong any more: what is to be brought
 * to the provider is brought there, all devices are listed, and commands without news are looked up.
 * The service does it by itself and in its own time; only the times that it waits between two attempts
 * and two looks (of up to half an hour) are made to be over, by moving them into the past.
 */
import { type RawBuilder, sql } from 'kysely'
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import { busyPhones, calm } from './mdm-phones.ts'
import { pause } from './program.ts'

const LOOK_MS = 250
/** Longer than two listings have to lie apart for what is in neither to be gone. */
const MISSING_MINUTES = 11
/** One finds what is missing, the next one says so again, and a third one where most are. */
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
    /** @param open what is left to be waited for, in words */
    const until = async (open: () => Promise<string[]>): Promise<void> => {
      for (let left = await open(); left.length > 0; left = await open()) {
        if (Date.now() > deadline) throw new Error(`it does not heal: ${left.slice(0, 10).join()}`)
        await pause(LOOK_MS)
      }
    }
    const unsettled = async () => [...busyPhones(control), ...(await unsent(db))]
    for (let listings = 0; listings < LISTINGS_MAX; listings += 1) {
      await until(unsettled)
      await makeDue(db)
      await until(() => overdue(db))
      if ((await missing(db)).length === 0 && (await unsettled()).length === 0) return
    }
    throw new Error(`there is no end of what is missing: ${(await missing(db)).join()}`)
  })
}

/** What failed is tried again now, and not after its pause; what a process is at is left to it. */
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
 * Also what a dead process was looking at, whose lease ends after a quarter of an hour and longer. A
 * listing that is under way is of before, and begun anew.
 */
async function makeDue(db: Database): Promise<void> {
  await sql`update mdm_enterprises set listing_due_at = 'epoch', listing_leased_until = null,
    listing_lease_id = null, mass_missing_since = mass_missing_since - ${MINUTES}`.execute(db)
  await sql`update mdm_devices set missing_since = missing_since - ${MINUTES}
    where missing_since is not null`.execute(db)
  await sql`update mdm_commands set check_due_at = 'epoch' where completed_at is null`.execute(db)
}

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
