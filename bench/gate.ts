/**
 * Compares the ratios of the main paths with those of the last release. A path fails only if it is slower than
 * the noise of both measurements explains, twice in a row, and only on a machine that is quiet enough to tell.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/platform/package-root.ts'
import type { Context } from './bed.ts'
import { benchCheck } from './check.ts'
import { createCleanup } from './cleanup.ts'
import { benchLogs } from './logs.ts'
import { benchOrders } from './orders.ts'
import { type Aim, type Findings, fine } from './report.ts'
import type { Row } from './rounds.ts'
import { benchWebhooks } from './webhooks.ts'

/** Each benchmark, and the subject that is compared. */
const MAIN_PATHS = [
  { name: 'check', bench: benchCheck, subject: 'POST /check' },
  { name: 'orders', bench: benchOrders, subject: 'POST /orders' },
  { name: 'logs', bench: benchLogs, subject: 'POST /edge/logs' },
  { name: 'webhooks', bench: benchWebhooks, subject: 'deliveries' },
] as const

export type PathRatio = {
  least: number
  median: number
  most: number
  /** Rate of the limit, which shows whether the disk and the processors are comparable. */
  limit_per_second: number
}
export type Measured = Pick<PathRatio, 'limit_per_second'> & Pick<Row, 'ratio' | 'others_percent'>
type Release = { measured: string; machine: string; ratios: Record<string, PathRatio> }
export type Verdict = 'kept' | 'slower' | 'not judged'

const RELEASE_FILE = join(packageRoot(), 'bench', 'release.json')
/** The ratios of one program, with webhooks the most, differed by this factor within a day on one machine. */
const NOISE = 0.5
/** A ratio to a limit that is this many times faster or slower compares disks, not programs. */
const LIMIT_FACTOR = 1.5
/** With more of the processors taken by other programs, ratios went down to a third. */
const OTHERS_MAX_PERCENT = 25
const GATE_OPTIONS = { seconds: 1, rounds: 3, clients: [8], organizations: [1] }

/** Fails when a path is slower than in the last release; `--write` stores the ratios of this one. */
export async function benchGate(context: Context): Promise<Findings> {
  const { options } = context
  const release = options.write ? undefined : readRelease()
  const rows: Row[] = []
  const ratios: Release['ratios'] = {}
  const aims: Aim[] = []
  const slower: string[] = []
  for (const path of MAIN_PATHS) {
    let measured = await measurePath(context, path)
    const before = release?.ratios[path.name]
    let verdict = before && verdictOf(before, measured)
    if (before && verdict === 'slower') {
      measured = await measurePath(context, path)
      verdict = verdictOf(before, measured)
    }
    rows.push({ ...measured.row, scenario: path.name })
    ratios[path.name] = ratioToStore(measured)
    if (verdict === 'slower') slower.push(path.name)
    if (before && verdict) aims.push(aimOf(path.name, before, { measured, verdict }))
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.version}`
  const measured = new Date().toISOString().slice(0, 10)
  if (options.write) {
    writeFileSync(RELEASE_FILE, `${JSON.stringify({ measured, machine, ratios }, null, 2)}\n`)
  }
  const failure = `slower than the last release: ${slower.join(', ')}`
  return {
    unit: 'the main paths, as ratios to their limits',
    rows,
    notes: [options.write ? `written to ${RELEASE_FILE}` : `release measured ${release?.measured}`],
    aims,
    ...(slower.length > 0 && { failure }),
  }
}

function readRelease(): Release {
  return JSON.parse(readFileSync(RELEASE_FILE, 'utf8')) as Release
}

/** A path is slower if its median is below the noise of the release and no round reached the release's median. */
export function verdictOf(
  before: PathRatio,
  { ratio, others_percent = 0, limit_per_second }: Measured,
): Verdict {
  if (!ratio || others_percent > OTHERS_MAX_PERCENT) return 'not judged'
  const factor = limit_per_second / before.limit_per_second
  if (factor > LIMIT_FACTOR || factor < 1 / LIMIT_FACTOR) return 'not judged'
  const isSlower = ratio.median < before.least * NOISE && ratio.most < before.median
  return isSlower ? 'slower' : 'kept'
}

function aimOf(
  name: string,
  before: PathRatio,
  { measured, verdict }: { measured: Measured; verdict: Verdict },
): Aim {
  const { ratio, others_percent = 0, limit_per_second } = measured
  const textOf = ({ median, least, most }: Omit<PathRatio, 'limit_per_second'>) =>
    `${fine(median)} (${fine(least)} to ${fine(most)})`
  const why = `, other programs took ${others_percent.toFixed(0)} %, the limit reached ${limit_per_second.toFixed(0)}/s instead of ${before.limit_per_second}/s`
  const text = `${name}: ${ratio ? textOf(ratio) : 'none'}, last release ${textOf(before)}: ${verdict}`
  return {
    is_met: verdict !== 'slower',
    text: text + (verdict === 'not judged' ? why : ''),
  }
}

/** Measures the first comparison of a benchmark, with separate engines. */
async function measurePath(
  context: Context,
  { bench, subject }: (typeof MAIN_PATHS)[number],
): Promise<Measured & { row: Row }> {
  const cleanup = createCleanup()
  context.cleanup.add(cleanup.run)
  const options = { ...context.options, ...GATE_OPTIONS, is_quick: true, main_path_only: true }
  try {
    const { rows } = await bench({ ...context, cleanup, options })
    const row = rows.find((one) => one.subject === subject && one.ratio)
    const limit = rows.find((one) => one.subject === row?.ratio?.limit)
    if (!row || !limit) throw new Error(`${subject} was not measured`)
    return { ...row, row, limit_per_second: limit.per_second }
  } finally {
    await cleanup.run()
  }
}

const rounded = (value = Number.NaN) => Number(value.toFixed(3))

const ratioToStore = ({ ratio, limit_per_second }: Measured): PathRatio => ({
  least: rounded(ratio?.least),
  median: rounded(ratio?.median),
  most: rounded(ratio?.most),
  limit_per_second: Math.round(limit_per_second),
})
