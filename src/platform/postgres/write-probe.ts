/** Finds out whether the database is reachable and accepts writes, which it does not on a full disk or as a standby. */
import { sql } from 'kysely'
import { cached } from '../cached.ts'
import { type Db, pingDatabase } from './db.ts'
import { type ErrorKind, errorKindOf } from './error-kinds.ts'

export type Readiness =
  | 'ready'
  | 'stopping'
  | 'database unreachable'
  | 'database refuses writes'
  | 'database not migrated'

export type ReadinessProbe = () => Promise<Readiness>

const PROBE_EVERY_MS = 10_000
const READY_TIMEOUT_MS = 2000
/** Other faults, such as a missing right to create tables, say nothing about ordinary writes. */
const REFUSALS: readonly (ErrorKind | undefined)[] = [
  'disk_full',
  'read_only',
  'io',
  'corruption',
  'resources',
]

/** Responds within two seconds. Whether writes succeed is tried every ten seconds at most. */
export function createReadinessProbe(db: Db): ReadinessProbe {
  const acceptsWrites = cached(async () => await tryToWrite(db), PROBE_EVERY_MS)
  const probe = async (): Promise<Readiness> => {
    await pingDatabase(db)
    return (await acceptsWrites()) ? 'ready' : 'database refuses writes'
  }
  return async () =>
    await Promise.race([
      probe().catch((): Readiness => 'database unreachable'),
      new Promise<Readiness>((resolve) =>
        setTimeout(resolve, READY_TIMEOUT_MS, 'database unreachable').unref(),
      ),
    ])
}

async function tryToWrite(db: Db): Promise<boolean> {
  try {
    await writeAndUndo(db)
    return true
  } catch (error) {
    return !REFUSALS.includes(errorKindOf(error))
  }
}

/**
 * Fills eleven pages of a new table and rolls back. Writing into free space of an existing table would
 * succeed on a full disk; a new table needs space. Rows this short need no TOAST table.
 */
async function writeAndUndo(db: Db): Promise<void> {
  await sql`do $probe$ begin
    begin
      create table vigil_write_probe (filler varchar(400));
      insert into vigil_write_probe select repeat('x', 400) from generate_series(1, 200);
      raise exception using errcode = 'VW001';
    exception when sqlstate 'VW001' then null;
    end;
  end $probe$`.execute(db)
}
