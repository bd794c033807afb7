/** `vigil doctor`: finds faults of an installation and says how to fix each. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSimSwapProvider } from '../app/carriers.ts'
import { dividedTables } from '../app/divided-tables.ts'
import { type Engine, openEngine, shippedMigrations } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import { loadDomainLists, loadIpData } from '../modules/checks/index.ts'
import { loadCarriers } from '../modules/phone/index.ts'
import { systemClock } from '../platform/clock.ts'
import { keyFile, readMasterKeys } from '../platform/crypto/master-key.ts'
import { createSealer } from '../platform/crypto/sealed.ts'
import { findNewestDataKey } from '../platform/crypto/store.ts'
import { createIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { packageRoot } from '../platform/package-root.ts'
import type { Database } from '../platform/postgres/db.ts'
import { PINNED_VERSION, verifyPostgresProgram } from '../platform/postgres/embedded/binaries.ts'
import { inspectServer } from '../platform/postgres/inspect.ts'
import { pendingMigrations } from '../platform/postgres/migrate.ts'
import { readDivisions } from '../platform/postgres/partitions/index.ts'
import { openRedis } from '../platform/redis.ts'
import { readBacklog } from '../platform/spool/index.ts'
import { enterDataDir } from './command.ts'
import { examineAnalytics } from './doctor-analytics.ts'
import {
  type Finding,
  fault,
  good,
  judgeClock,
  judgeCredentials,
  judgeMasterKey,
  judgeMigrations,
  judgePartitions,
  judgeRuntime,
  judgeSpace,
  judgeSpool,
  judgeVersion,
} from './doctor-findings.ts'
import { findCredentials } from './first-start.ts'
import { type Io, type Options, ReportedFailure } from './io.ts'

const PROBE_TIMEOUT_MS = 3000

export async function runDoctor(io: Io, { json }: Options): Promise<void> {
  const findings = await examine(io)
  const ok = findings.every((finding) => finding.ok)
  if (json) io.stdout(JSON.stringify({ ok, findings }))
  else for (const line of findings.flatMap(linesOf)) io.stdout(line)
  if (!ok) throw new ReportedFailure('faults were found')
}

async function examine(io: Io): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(io.environment)
    createSimSwapProvider(config, systemClock)
  } catch (error) {
    const advice =
      'Correct the environment or the .env file. docs/operate/settings.md lists all settings'
    return [fault('configuration', error, advice)]
  }
  const general = [
    good('configuration', 'all settings are valid'),
    judgeRuntime(process.versions.node, systemClock.now()),
  ]
  let dataDir: string
  try {
    dataDir = await enterDataDir(io, config)
  } catch (error) {
    return [...general, fault('account', error, 'Resolve the error above')]
  }
  const space = disk(dataDir)
  const credentials = findCredentials(dataDir)
  return [
    ...general,
    referenceData(join(packageRoot(), 'build', 'data')),
    space.finding,
    ...(credentials === undefined ? [] : [judgeCredentials(credentials)]),
    // Without a writable folder, the embedded engines would only report the same fault again.
    ...(config.database_url === undefined ? [databaseProgram()] : []),
    ...(space.is_writable ? await database(config, dataDir, io) : []),
    ...(space.is_writable ? await examineAnalytics(config, dataDir) : []),
    ...(config.redis_url === undefined ? [] : [await redis(config.redis_url)]),
  ]
}

/** Reads the files, because one that exists may still be damaged. */
export function referenceData(folder: string): Finding {
  try {
    for (const load of [loadDomainLists, loadIpData, loadCarriers]) load(folder)
    return good('reference data', 'compiled')
  } catch (error) {
    return fault(
      'reference data',
      error,
      'In a checkout, run `npm run build`; otherwise install Vigil again',
    )
  }
}

/** npm compares the package with package-lock.json when it installs it; this finds later changes. */
function databaseProgram(): Finding {
  try {
    verifyPostgresProgram()
    return good('database program', `PostgreSQL ${PINNED_VERSION} as published`)
  } catch (error) {
    return fault('database program', error, 'Resolve the error above, or install Vigil again')
  }
}

function disk(folder: string): { finding: Finding; is_writable: boolean } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(folder)
    return { finding: judgeSpace(folder, bavail * bsize), is_writable: true }
  } catch (error) {
    const advice = 'Set VIGIL_DATA_DIR to a folder that this account can write to'
    return { finding: fault('disk', error, advice), is_writable: false }
  }
}

/** Does not apply migrations: the examination must not change the database. */
async function database(config: Config, dataDir: string, io: Io): Promise<Finding[]> {
  try {
    const engine = await openEngine({
      config,
      log: createLog('silent'),
      data_dir: dataDir,
      progress: io.stderr,
    })
    try {
      return await examineDatabase(config, dataDir, engine)
    } finally {
      await engine.close()
    }
  } catch (error) {
    const advice = config.database_url
      ? 'Check DATABASE_URL, and that the server is running and accepts this account'
      : 'Resolve the error above. The log of the embedded server is in the run folder of the data directory'
    return [fault('PostgreSQL', error, advice)]
  }
}

async function examineDatabase(
  config: Config,
  dataDir: string,
  { db }: Engine,
): Promise<Finding[]> {
  const before = Date.now()
  const server = await inspectServer(db)
  const drift = Math.abs(server.now.getTime() - (before + Date.now()) / 2)
  const { finding, are_applied } = await migrations(db)
  return [
    judgeVersion(server.version_number, server.version),
    finding,
    judgeClock(drift),
    masterKey(config, dataDir),
    ...(are_applied
      ? [
          judgePartitions(await readDivisions(db, dividedTables(config))),
          await sealedSecrets(db, config, dataDir),
          judgeSpool(await readBacklog(db)),
        ]
      : []),
  ]
}

async function migrations(db: Database): Promise<{ finding: Finding; are_applied: boolean }> {
  try {
    const pending = await pendingMigrations(db, shippedMigrations('postgres'))
    const finding = judgeMigrations(pending.map(({ name }) => name))
    return { finding, are_applied: finding.ok }
  } catch (error) {
    const advice = 'Use the version of Vigil that last used this database'
    return { finding: fault('migrations', error, advice), are_applied: false }
  }
}

function masterKey(config: Config, dataDir: string): Finding {
  const file = keyFile(dataDir)
  return judgeMasterKey({
    file,
    is_configured: config.master_key !== undefined,
    is_shared: config.database_url !== undefined,
    mode: statSync(file, { throwIfNoEntry: false })?.mode,
  })
}

/** A wrong master key is detected only by opening a secret that is sealed with it. */
async function sealedSecrets(db: Database, config: Config, dataDir: string): Promise<Finding> {
  try {
    if (!(await findNewestDataKey(db))) return good('secrets', 'no secrets are stored yet')
    if (config.master_key === undefined && !existsSync(keyFile(dataDir))) {
      throw new OperatorError('The master key of this database is missing')
    }
    const masterKeys = readMasterKeys({ configured: config.master_key, data_dir: dataDir })
    const sealer = createSealer({ db, masterKeys, newId: createIds(), clock: systemClock })
    await sealer.seal('doctor', 'doctor')
    return good('secrets', 'the master key decrypts the secrets in the database')
  } catch (error) {
    return fault('secrets', error, 'Provide the master key that the database was last used with')
  }
}

async function redis(url: string): Promise<Finding> {
  const client = openRedis(url, createLog('silent'))
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve)
      client.once('error', reject)
      setTimeout(reject, PROBE_TIMEOUT_MS, new Error('no response')).unref()
    })
    return good('Redis', 'responds')
  } catch (error) {
    const advice = 'Check REDIS_URL. Until then, each node counts rate limits on its own'
    return fault('Redis', error, advice)
  } finally {
    client.disconnect()
  }
}

function linesOf({ check, ok, detail, advice }: Finding): string[] {
  const line = `${ok ? 'ok   ' : 'FAULT'} ${check}: ${detail}`
  return advice === undefined ? [line] : [line, `      → ${advice}`]
}
