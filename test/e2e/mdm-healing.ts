/**
 * What it takes until everything agrees again, once nothing goes wrong any more: what is to be brought
 * to the provider is brought there, all devices are listed, and commands without news are looked up.
 * The service does it by itself and in its own time; only the times that it waits between two attempts
 * and two looks (of up to half an hour) are made to be over, by moving them into the past.
 */
import { sql } from 'kysely'
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import { areIdle, calm } from './mdm-phones.ts'
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
    const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) {
        if (Date.now() > deadline) throw new Error(`it never was so: ${what}`)
        await pause(LOOK_MS)
      }
    }
    const isSettled = async () => areIdle(control) && (await isEverythingSent(db))
    for (let listings = 0; listings < LISTINGS_MAX; listings += 1) {
      await until('everything is sent and done', isSettled)
      await makeDue(db)
      await until('all devices are listed and all commands looked up', () => isLookedAt(db))
      if (!(await isAnyMissing(db)) && (await isSettled())) return
    }
    throw new Error('there is no end of what is missing')
  })
}

/** What failed is tried again now, and not after its pause; what a process is at is left to it. */
async function isEverythingSent(db: Database): Promise<boolean> {
  await sql`update mdm_dispatches set due_at = now()
    where due_at > now() and (leased_until is null or leased_until <= now())`.execute(db)
  return await isNone(db, sql`select from mdm_dispatches limit 1`)
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

const isLookedAt = async (db: Database): Promise<boolean> =>
  await isNone(
    db,
    sql`select from mdm_enterprises where listing_due_at <= now() or listing_lease_id is not null
      union all select from mdm_commands where completed_at is null and check_due_at <= now()
      union all select from mdm_devices where compliance_due_at <= now() limit 1`,
  )

const isAnyMissing = async (db: Database): Promise<boolean> =>
  !(await isNone(db, sql`select from mdm_devices where missing_since is not null limit 1`))

async function isNone(db: Database, query: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await query.execute(db)
  return rows.length === 0
}
