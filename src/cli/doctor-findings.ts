/** Judges the facts that `vigil doctor` collects: each is in order, or comes with advice. */
import { reasonOf } from '../platform/operator-error.ts'
import type { Division } from '../platform/postgres/partitions/index.ts'

export type Finding = { check: string; ok: boolean; detail: string; advice?: string }

const POSTGRES_MIN_VERSION = 150_000
/** Major and minor: the first version that finds phrases through the text index. */
const CLICKHOUSE_MIN_VERSION = [26, 4] as const
const CLOCK_DRIFT_MAX_MS = 2000
const SPOOL_WAITING_MAX_SECONDS = 60
const DISK_FREE_MIN_BYTES = 1_000_000_000

export const good = (check: string, detail: string): Finding => ({ check, ok: true, detail })

const bad = (check: string, detail: string, advice: string): Finding => ({
  check,
  ok: false,
  detail,
  advice,
})

export const fault = (check: string, error: unknown, advice: string): Finding =>
  bad(check, reasonOf(error), advice)

export function judgeSpace(folder: string, freeBytes: number): Finding {
  const detail = `${(freeBytes / 1e9).toFixed(1)} GB free in ${folder}`
  if (freeBytes >= DISK_FREE_MIN_BYTES) return good('disk', detail)
  return bad('disk', detail, 'Free some space, or move the data with VIGIL_DATA_DIR')
}

/** @param number `server_version_num` of PostgreSQL, such as 150004 for 15.4 */
export function judgeVersion(number: number, text: string): Finding {
  if (number >= POSTGRES_MIN_VERSION) return good('PostgreSQL', `version ${text}`)
  return bad('PostgreSQL', `version ${text} is too old`, 'Use PostgreSQL 15 or newer')
}

/** @param pending names of the migrations that the database lacks */
export function judgeMigrations(pending: readonly string[]): Finding {
  const [first] = pending
  if (first === undefined) return good('migrations', 'up to date')
  const detail = `${pending.length} pending, the first is ${first}`
  const advice = 'Run `npx vigil migrate`, or start the service, which applies them'
  return bad('migrations', detail, advice)
}

/** A table that is not divided yet works as before, so it is not a fault. */
export function judgePartitions(divisions: readonly Division[]): Finding {
  const check = 'partitions'
  const left = divisions.filter(({ state }) => state !== 'divided')
  if (left.length === 0) return good(check, `${divisions.length} tables are divided by time`)
  const names = left.map(describeDivision).join(', ')
  const detail = `${divisions.length - left.length} of ${divisions.length} tables are divided by time; left: ${names}`
  return { ...good(check, detail), advice: 'A worker divides them while they are in use' }
}

export const describeDivision = ({ table, state, bytes }: Division): string =>
  `${table} (${(bytes / 1e9).toFixed(1)} GB${state === 'reading' ? ', being read' : ''})`

/** @param facts a version such as `26.7.2.1`, and the disk usage of the tables */
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
  return bad(check, `version ${version} is too old`, advice)
}

/** @param facts pending migrations, and the number of parts that the engine detached as damaged */
export function judgeAnalyticsTables(facts: {
  pending: readonly string[]
  damaged_parts: number
}): Finding {
  const check = 'analytics tables'
  const { pending, damaged_parts } = facts
  if (damaged_parts > 0) {
    const detail = `${damaged_parts} damaged parts are detached; their rows are missing`
    const advice =
      'Check the disk, restore a backup, then drop the parts (system.detached_parts lists them)'
    return bad(check, detail, advice)
  }
  const [first] = pending
  if (first === undefined) return good(check, 'up to date')
  const detail = `${pending.length} migrations pending, the first is ${first}`
  return bad(check, detail, 'Start the service, which applies them')
}

/** @param waiting one element per table of the analytics engine */
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
    const detail = `the analytics engine rejects ${refused.refused_rows} blocks: ${refused.refusal}`
    const advice = 'The blocks are kept and retried. Report this with the log of the service'
    return bad(check, detail, advice)
  }
  const entries = waiting.reduce((sum, one) => sum + one.entries, 0)
  if (entries === 0) return good(check, 'empty')
  const seconds = Math.round(Math.max(...waiting.map((one) => one.oldest_waiting_seconds)))
  const detail = `${entries} logs and RUM events wait for the analytics engine, the oldest for ${seconds} s`
  if (seconds <= SPOOL_WAITING_MAX_SECONDS) return good(check, detail)
  return bad(check, detail, 'Check that a worker is running and that the analytics engine responds')
}

export function judgeClock(driftMs: number): Finding {
  const detail = `${Math.round(driftMs)} ms between this machine and the database`
  if (driftMs <= CLOCK_DRIFT_MAX_MS) return good('clock', detail)
  const advice = 'Synchronize the clocks (NTP): time windows, tokens and signatures depend on them'
  return bad('clock', detail, advice)
}

/** Last day of security fixes, from the schedule of the Node.js project. */
const NODE_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
}
const NODE_RECOMMENDED = 24

/** An outdated runtime works, so it is not a fault. */
export function judgeRuntime(version: string, now: Date): Finding {
  const end = NODE_ENDS[Number(version.split('.')[0])]
  const finding = good('Node.js', `version ${version}`)
  if (end === undefined || now < new Date(`${end}T24:00:00Z`)) return finding
  return {
    ...finding,
    detail: `version ${version} has not received security fixes since ${end}`,
    advice: `Use Node.js ${NODE_RECOMMENDED}`,
  }
}

/** @param file the file with the credentials of the first start, if it exists */
export function judgeCredentials(file: string): Finding {
  const detail = `the first password and API keys are still in ${file}`
  return { ...good('first start', detail), advice: 'Store them elsewhere and delete the file' }
}

export type MasterKeyFacts = {
  file: string
  is_configured: boolean
  /** Other nodes may use the same database. */
  is_shared: boolean
  /** Permission bits of the file; undefined when it does not exist. */
  mode: number | undefined
}

export function judgeMasterKey(facts: MasterKeyFacts): Finding {
  const { file } = facts
  if (facts.is_configured) return good('master key', 'set by VIGIL_MASTER_KEY')
  if (facts.mode === undefined)
    return good('master key', 'not created yet; the first start creates it')
  if ((facts.mode & 0o077) !== 0) {
    return bad('master key', 'other users can read the master key', `Run \`chmod 600 ${file}\``)
  }
  if (!facts.is_shared) return good('master key', `in ${file}; include this file in backups`)
  const detail = `in ${file}, which other nodes that use this database do not have`
  return bad('master key', detail, 'Set VIGIL_MASTER_KEY to the content of this file on every node')
}
