/** What the doctor makes of the facts it finds: in order, or what to do about it. */
import { reasonOf } from '../platform/operator-error.ts'

export type Finding = { check: string; ok: boolean; detail: string; advice?: string }

const POSTGRES_MIN_VERSION = 150_000
/** Major and minor: the first one that looks for phrases in the text index. */
const CLICKHOUSE_MIN_VERSION = [26, 4] as const
const CLOCK_DRIFT_MAX_MS = 2000
const SPOOL_WAITING_MAX_SECONDS = 60
const DISK_FREE_MIN_BYTES = 1_000_000_000

export const good = (check: string, detail: string): Finding => ({ check, ok: true, detail })

export const fault = (check: string, error: unknown, advice: string): Finding => ({
  check,
  ok: false,
  detail: reasonOf(error),
  advice,
})

export function judgeSpace(folder: string, freeBytes: number): Finding {
  const detail = `${(freeBytes / 1e9).toFixed(1)} GB free in ${folder}`
  if (freeBytes >= DISK_FREE_MIN_BYTES) return good('disk', detail)
  const advice = 'Free some space, or move the data with VIGIL_DATA_DIR'
  return { check: 'disk', ok: false, detail, advice }
}

/** @param number as PostgreSQL counts: 150004 is 15.4 */
export function judgeVersion(number: number, text: string): Finding {
  if (number >= POSTGRES_MIN_VERSION) return good('PostgreSQL', `version ${text}`)
  const advice = 'Use PostgreSQL 15 or newer'
  return { check: 'PostgreSQL', ok: false, detail: `version ${text} is too old`, advice }
}

/** @param pending names of the migrations that this version has and the database has not */
export function judgeMigrations(pending: readonly string[]): Finding {
  const [first] = pending
  if (first === undefined) return good('migrations', 'the database is of this version')
  const detail = `${pending.length} not applied yet, from ${first} on`
  const advice = 'Run `npx vigil migrate`; the service does the same when it starts'
  return { check: 'migrations', ok: false, detail, advice }
}

/** @param facts version like `26.7.2.1`, and what the tables take on disk */
export function judgeAnalyticsVersion(
  check: string,
  { version, bytes_on_disk }: { version: string; bytes_on_disk: number },
): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin, minorMin] = CLICKHOUSE_MIN_VERSION
  if (major > majorMin || (major === majorMin && minor >= minorMin)) {
    return good(check, `version ${version}, ${(bytes_on_disk / 1e9).toFixed(1)} GB of tables`)
  }
  const advice = `Use ClickHouse ${majorMin}.${minorMin} or newer`
  return { check, ok: false, detail: `version ${version} is too old`, advice }
}

/** @param facts migrations that are missing, and parts that the engine put aside as damaged */
export function judgeAnalyticsTables(facts: {
  pending: readonly string[]
  damaged_parts: number
}): Finding {
  const check = 'analytics tables'
  const { pending, damaged_parts } = facts
  if (damaged_parts > 0) {
    const detail = `${damaged_parts} damaged parts were put aside; their rows are missing`
    const advice =
      'Check the disk, restore a backup, then drop them (system.detached_parts lists them)'
    return { check, ok: false, detail, advice }
  }
  const [first] = pending
  if (first === undefined) return good(check, 'the tables are of this version')
  const detail = `${pending.length} migrations not applied yet, from ${first} on`
  const advice = 'Start the service: it brings the tables to this version'
  return { check, ok: false, detail, advice }
}

/** @param waiting by table of the analytics engine */
export function judgeSpool(
  waiting: readonly {
    entries: number
    oldest_waiting_seconds: number
    refused_rows: number
    refusal: string | null
  }[],
): Finding {
  const check = 'spool'
  const refused = waiting.find(({ refused_rows }) => refused_rows > 0)
  if (refused) {
    const detail = `${refused.refused_rows} blocks are refused by the analytics engine: ${refused.refusal}`
    const advice = 'They are kept and tried again; report it with the log of the service'
    return { check, ok: false, detail, advice }
  }
  const entries = waiting.reduce((sum, one) => sum + one.entries, 0)
  if (entries === 0) return good(check, 'no logs or events wait')
  const seconds = Math.round(Math.max(...waiting.map((one) => one.oldest_waiting_seconds)))
  const detail = `${entries} logs and events wait for the analytics engine, up to ${seconds} s`
  if (seconds <= SPOOL_WAITING_MAX_SECONDS) return good(check, detail)
  const advice = 'See that a worker runs and that the analytics engine answers'
  return { check, ok: false, detail, advice }
}

export function judgeClock(driftMs: number): Finding {
  const detail = `${Math.round(driftMs)} ms between this machine and the database`
  if (driftMs <= CLOCK_DRIFT_MAX_MS) return good('clock', detail)
  const advice = 'Synchronise the clocks (NTP): windows, tokens and signatures depend on them'
  return { check: 'clock', ok: false, detail, advice }
}

export type MasterKeyFacts = {
  file: string
  is_configured: boolean
  /** Other nodes may use the same database. */
  is_shared: boolean
  /** Permission bits of the file; undefined while there is none. */
  mode: number | undefined
}

export function judgeMasterKey(facts: MasterKeyFacts): Finding {
  const { file } = facts
  if (facts.is_configured) return good('master key', 'given by VIGIL_MASTER_KEY')
  if (facts.mode === undefined) return good('master key', 'not made yet; the first start makes it')
  if ((facts.mode & 0o077) !== 0) {
    const advice = `Run chmod 600 ${file}`
    return { check: 'master key', ok: false, detail: 'others can read the master key', advice }
  }
  if (!facts.is_shared) return good('master key', `in ${file}; include it in backups`)
  return {
    check: 'master key',
    ok: false,
    detail: `in ${file}, which other nodes of this database do not have`,
    advice: 'Set VIGIL_MASTER_KEY to its content on every node',
  }
}
