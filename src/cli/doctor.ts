/** `vigil doctor`: is everything in order, and if not, what is to be done? */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { chooseDataDir } from '../data-dir.ts'
import { loadDomainLists, loadIpData } from '../modules/checks/index.ts'
import { loadCarriers } from '../modules/phone/index.ts'
import { systemClock } from '../platform/clock.ts'
import { readMasterKeys } from '../platform/crypto/master-key.ts'
import { createSealer } from '../platform/crypto/sealed.ts'
import { findNewestDataKey } from '../platform/crypto/store.ts'
import { createIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { packageRoot } from '../platform/package-root.ts'
import type { Database } from '../platform/postgres/db.ts'
import { inspectServer } from '../platform/postgres/inspect.ts'
import { pendingMigrations } from '../platform/postgres/migrate.ts'
import { openRedis } from '../platform/redis.ts'
import { readBacklog } from '../platform/spool/index.ts'
import { createSimSwapProvider } from '../providers.ts'
import { type Engine, openEngine, shippedMigrations } from '../stores.ts'
import { type Io, type Options, ReportedFailure } from './command.ts'
import { examineAnalytics } from './doctor-analytics.ts'
import {
  type Finding,
  fault,
  good,
  judgeClock,
  judgeMasterKey,
  judgeMigrations,
  judgeSpace,
  judgeSpool,
  judgeVersion,
} from './findings.ts'

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
      if (!ok) throw new ReportedFailure('faults were found')
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
  const dataDir = chooseDataDir(config.data_dir, io.working_folder)
  const space = disk(dataDir)
  return [
    good('configuration', 'all settings are understood'),
    referenceData(join(packageRoot(), 'build', 'data')),
    space.finding,
    // Without a folder to work in, the embedded server would only report the same fault again.
    ...(space.is_writable ? await database(config, io) : []),
    ...(space.is_writable ? await examineAnalytics(config, dataDir) : []),
    ...(await optionalEngines(config)),
  ]
}

/** By reading it: a file can be there and yet be damaged. */
export function referenceData(folder: string): Finding {
  try {
    for (const load of [loadDomainLists, loadIpData, loadCarriers]) load(folder)
    return good('reference data', 'compiled')
  } catch (error) {
    return fault('reference data', error, 'Run `npm run build`')
  }
}

function disk(folder: string): { finding: Finding; is_writable: boolean } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(folder)
    return { finding: judgeSpace(folder, bavail * bsize), is_writable: true }
  } catch (error) {
    const advice = 'Give this account a folder it may write to, by VIGIL_DATA_DIR'
    return { finding: fault('disk', error, advice), is_writable: false }
  }
}

/** The database is looked at as it is: examining it must not change it. */
async function database(config: Config, io: Io): Promise<Finding[]> {
  try {
    const engine = await openEngine({
      config,
      log: createLog('silent'),
      working_folder: io.working_folder,
      progress: io.stderr,
    })
    try {
      return await examineDatabase(config, engine)
    } finally {
      await engine.close()
    }
  } catch (error) {
    const advice = config.database_url
      ? 'Check DATABASE_URL, and that the server runs and lets this account in'
      : 'Mend what the message names; the log of the embedded server is in the run folder of the data directory'
    return [fault('PostgreSQL', error, advice)]
  }
}

async function examineDatabase(config: Config, { db, data_dir }: Engine): Promise<Finding[]> {
  const before = Date.now()
  const server = await inspectServer(db)
  const drift = Math.abs(server.now.getTime() - (before + Date.now()) / 2)
  const { finding, are_applied } = await migrations(db)
  return [
    judgeVersion(server.version_number, server.version),
    finding,
    judgeClock(drift),
    masterKey(config, data_dir),
    ...(are_applied
      ? [await sealedSecrets(db, config, data_dir), judgeSpool(await readBacklog(db))]
      : []),
  ]
}

async function migrations(db: Database): Promise<{ finding: Finding; are_applied: boolean }> {
  try {
    const pending = await pendingMigrations(db, shippedMigrations('postgres'))
    const finding = judgeMigrations(pending.map(({ name }) => name))
    return { finding, are_applied: finding.ok }
  } catch (error) {
    const advice =
      'Use the version of Vigil and the migrations that the database was last used with'
    return { finding: fault('migrations', error, advice), are_applied: false }
  }
}

const masterKeyFile = (dataDir: string): string => join(dataDir, 'master.key')

function masterKey(config: Config, dataDir: string): Finding {
  const file = masterKeyFile(dataDir)
  return judgeMasterKey({
    file,
    is_configured: config.master_key !== undefined,
    is_shared: config.database_url !== undefined,
    mode: statSync(file, { throwIfNoEntry: false })?.mode,
  })
}

/** A wrong master key shows only when something that it sealed is opened. */
async function sealedSecrets(db: Database, config: Config, dataDir: string): Promise<Finding> {
  try {
    if ((await findNewestDataKey(db)) === undefined) return good('secrets', 'nothing is sealed yet')
    if (config.master_key === undefined && !existsSync(masterKeyFile(dataDir))) {
      throw new OperatorError('The master key of this database is missing')
    }
    const masterKeys = readMasterKeys({ configured: config.master_key, data_dir: dataDir })
    const sealer = createSealer({ db, masterKeys, newId: createIds(), clock: systemClock })
    await sealer.seal('doctor', 'doctor')
    return good('secrets', 'the master key opens what is sealed in the database')
  } catch (error) {
    return fault('secrets', error, 'Give the key that the database was last used with')
  }
}

async function optionalEngines(config: Config): Promise<Finding[]> {
  return config.redis_url === undefined ? [] : [await redis(config.redis_url)]
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

function linesOf({ check, ok, detail, advice }: Finding): string[] {
  const line = `${ok ? 'ok   ' : 'FAULT'} ${check}: ${detail}`
  return advice === undefined ? [line] : [line, `      → ${advice}`]
}
