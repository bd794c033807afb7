/** `vigil doctor`: is everything in order, and if not, what is to be done? */
import { existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { chooseDataDir } from '../data-dir.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { requestJson } from '../platform/net/http-json.ts'
import { packageRoot } from '../platform/package-root.ts'
import { inspectServer } from '../platform/postgres/inspect.ts'
import { openRedis } from '../platform/redis.ts'
import { createSimSwapProvider } from '../providers.ts'
import { openStores } from '../stores.ts'
import type { Io, Options } from './command.ts'

type Finding = { check: string; ok: boolean; detail: string; advice?: string }

const POSTGRES_MIN_VERSION = 150_000
const CLOCK_DRIFT_MAX_MS = 2000
const DISK_FREE_MIN_BYTES = 1_000_000_000
const PROBE_TIMEOUT_MS = 3000

export function doctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description(
      'check configuration, engines, clock and disk, and say what to do about each fault',
    )
    .option('--json', 'print one JSON object')
    .action(async (options: Options) => {
      const findings = await examine(io)
      const ok = findings.every((finding) => finding.ok)
      if (options.json) io.stdout(JSON.stringify({ ok, findings }))
      else for (const line of findings.flatMap(linesOf)) io.stdout(line)
      if (!ok) process.exitCode = 1
    })
}

async function examine(io: Io): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(io.environment)
    createSimSwapProvider(config, systemClock)
  } catch (error) {
    const advice = 'Correct the environment or the .env file; the README lists all settings'
    return [fault('configuration', error, advice)]
  }
  return [
    good('configuration', 'all settings are understood'),
    referenceData(),
    disk(chooseDataDir(config.data_dir, io.working_folder)),
    ...(await database(config, io)),
    ...(await optionalEngines(config)),
  ]
}

function referenceData(): Finding {
  const folder = join(packageRoot(), 'build', 'data')
  const isThere = existsSync(folder)
  if (isThere) return good('reference data', 'compiled')
  return {
    check: 'reference data',
    ok: false,
    detail: 'the compiled lists are missing',
    advice: 'Run `npm run build`',
  }
}

function disk(folder: string): Finding {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    const detail = `${(free / 1e9).toFixed(1)} GB free in ${folder}`
    if (free >= DISK_FREE_MIN_BYTES) return good('disk', detail)
    const advice = 'Free some space, or move the data with VIGIL_DATA_DIR'
    return { check: 'disk', ok: false, detail, advice }
  } catch (error) {
    return fault('disk', error, 'Give this account a folder it may write to, by VIGIL_DATA_DIR')
  }
}

async function database(config: Config, io: Io): Promise<Finding[]> {
  try {
    const stores = await openStores({
      config,
      log: createLog('silent'),
      working_folder: io.working_folder,
      progress: io.stderr,
    })
    try {
      const before = Date.now()
      const server = await inspectServer(stores.db)
      const drift = Math.abs(server.now.getTime() - (before + Date.now()) / 2)
      return [
        version(server.version_number, server.version),
        clock(drift),
        masterKey(config, stores.data_dir),
      ]
    } finally {
      await stores.close()
    }
  } catch (error) {
    const advice = config.database_url
      ? 'Check DATABASE_URL, and that the server runs and lets this account in'
      : 'See the log of the embedded server in the run folder of the data directory'
    return [fault('PostgreSQL', error, advice)]
  }
}

function version(number: number, text: string): Finding {
  if (number >= POSTGRES_MIN_VERSION) return good('PostgreSQL', `version ${text}, migrated`)
  const advice = 'Use PostgreSQL 15 or newer'
  return { check: 'PostgreSQL', ok: false, detail: `version ${text} is too old`, advice }
}

function clock(driftMs: number): Finding {
  const detail = `${Math.round(driftMs)} ms between this machine and the database`
  if (driftMs <= CLOCK_DRIFT_MAX_MS) return good('clock', detail)
  const advice = 'Synchronise the clocks (NTP): windows, tokens and signatures depend on them'
  return { check: 'clock', ok: false, detail, advice }
}

function masterKey(config: Config, dataDir: string): Finding {
  if (config.master_key !== undefined) return good('master key', 'given by VIGIL_MASTER_KEY')
  const file = join(dataDir, 'master.key')
  const isPrivate = (statSync(file).mode & 0o077) === 0
  if (!isPrivate) {
    const advice = `Run chmod 600 ${file}`
    return { check: 'master key', ok: false, detail: 'others can read the master key', advice }
  }
  if (config.database_url === undefined)
    return good('master key', `in ${file}; include it in backups`)
  return {
    check: 'master key',
    ok: false,
    detail: `in ${file}, which other nodes of this database do not have`,
    advice: 'Set VIGIL_MASTER_KEY to its content on every node',
  }
}

async function optionalEngines(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  if (config.clickhouse_url !== undefined) findings.push(await clickhouse(config.clickhouse_url))
  if (config.redis_url !== undefined) findings.push(await redis(config.redis_url))
  return findings
}

async function clickhouse(url: string): Promise<Finding> {
  const { origin, username, password } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
  const answer = await requestJson({
    url: `${origin}/?query=${encodeURIComponent('select version() as version format JSONEachRow')}`,
    method: 'GET',
    headers: username === '' ? {} : { authorization },
    timeoutMs: PROBE_TIMEOUT_MS,
  })
  if (answer.known && answer.value.status === 200) return good('ClickHouse', 'answers')
  const detail = answer.known ? `status ${answer.value.status}` : answer.reason
  const advice = 'Check CLICKHOUSE_URL, and that the server runs and lets this account in'
  return { check: 'ClickHouse', ok: false, detail, advice }
}

async function redis(url: string): Promise<Finding> {
  const client = openRedis(url, createLog('silent'))
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve)
      client.once('error', reject)
      setTimeout(reject, PROBE_TIMEOUT_MS, new Error('no answer')).unref()
    })
    return good('Redis', 'answers')
  } catch (error) {
    return fault('Redis', error, 'Check REDIS_URL; until then each node counts rate limits alone')
  } finally {
    client.disconnect()
  }
}

const good = (check: string, detail: string): Finding => ({ check, ok: true, detail })

function fault(check: string, error: unknown, advice: string): Finding {
  const detail = error instanceof Error ? error.message : String(error)
  return { check, ok: false, detail, advice }
}

function linesOf({ check, ok, detail, advice }: Finding): string[] {
  const line = `${ok ? 'ok   ' : 'FAULT'} ${check}: ${detail}`
  return advice === undefined ? [line] : [line, `      → ${advice}`]
}
