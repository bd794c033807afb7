/** `vigil serve`: runs the service until it receives a signal to stop. */
import { type FirstRun, setUpFirstOrganization } from '../app/first-run.ts'
import { createHttp, createParts, openCore, type Parts, startJobs, VERSION } from '../app/index.ts'
import { openStores, type Stores } from '../app/stores.ts'
import { type Config, isStartedByNpm, readConfig } from '../config.ts'
import { hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { systemClock } from '../platform/clock.ts'
import type { App } from '../platform/http/app.ts'
import { createLog, type Log } from '../platform/log.ts'
import { type ReservedPort, reservePort } from '../platform/net/reserved-port.ts'
import { enterDataDir } from './command.ts'
import { judgeRuntime } from './doctor-findings.ts'
import { fileLines, findCredentials, firstStartLines, writeCredentials } from './first-start.ts'
import type { Io, Options } from './io.ts'
import { listenFault } from './options.ts'
import { stopSignal } from './stop-signal.ts'
import { createTrialEmulator, findTrialUrl, isOffered, loadEmulator } from './trial-emulator.ts'

export type ServeOptions = Options & { role: 'all' | 'api' | 'worker' }

/** Time that requests in progress get to finish. */
const STOP_DEADLINE_MS = 10_000
/** Time that remaining work, such as look-ups in progress, gets after everything is closed. */
const LINGER_MS = 100

export async function serve(io: Io, { role, json }: ServeOptions): Promise<void> {
  const config = readConfig(io.environment)
  const log = createLog(config.log_level)
  const reserved = io.leaves_root === true && role !== 'worker' ? await reserve(config) : undefined
  const startAndroid = isOffered(config) ? await loadEmulator() : undefined
  const data_dir = await enterDataDir(io, config)
  const stop = stopSignal(isStartedByNpm(io.environment))
  const runtime = judgeRuntime(process.versions.node, systemClock.now())
  if (runtime.advice !== undefined) io.stderr(`Node.js ${runtime.detail}. ${runtime.advice}.`)
  const stores = await openStores({
    config,
    log,
    data_dir,
    progress: io.stderr,
    migrates: true,
  }).catch((error: unknown) => {
    // Ctrl-C also reaches an embedded server that is starting, which then fails as expected.
    if (stop.isRequested()) return undefined
    throw error
  })
  if (!stores) return
  const closers: (() => Promise<void>)[] = [stores.close]
  try {
    if (stop.isRequested()) return
    const trial = startAndroid && createTrialEmulator({ ...stores, log, startAndroid })
    if (trial) closers.unshift(trial.close)
    const core = await openCore(stores, config, { trialUrl: trial?.url })
    const parts = await createParts(core)
    startAnalytics(stores, config)
    let url: string | undefined
    if (role !== 'worker') {
      const http = await createHttp(core, parts)
      closers.unshift(http.close)
      reserved?.handTo(http.app.server)
      url = await listen(http.app, config)
    }
    // Comes after every step that can fail, because the generated secrets are shown only here.
    const isShown = io.is_terminal === true
    const firstRun = await setUpFirstOrganization(stores, (first) => {
      if (!isShown) writeCredentials(stores.data_dir, first)
    })
    const ready = {
      version: VERSION,
      role,
      url,
      data_dir: stores.data_dir,
      trial_emulator: trial ? await trialUrlIn(stores.data_dir, parts) : undefined,
      first_run: firstRun && !isShown ? withoutSecrets(firstRun) : firstRun,
      credentials_file: findCredentials(stores.data_dir),
    }
    if (json) io.stdout(JSON.stringify(ready))
    else for (const line of readyLines(ready)) io.stdout(line)
    if (role !== 'api') {
      const jobs = startJobs(core, parts)
      closers.unshift(() => jobs.stop())
    }
    log.info({ role, url }, 'ready')
    await stop.requested
    log.info('stopping')
  } finally {
    await closeAll(closers, log)
  }
}

/** An embedded engine without data is not started, so that unused logs cost no memory. */
function startAnalytics({ analytics, data_dir }: Stores, { clickhouse_url }: Config): void {
  if (clickhouse_url !== undefined || hasEmbeddedData(data_dir)) analytics.start()
}

/** Starts the trial emulator when device management is connected to it. */
async function trialUrlIn(
  dataDir: string,
  { devices: { connection } }: Parts,
): Promise<string | undefined> {
  const target = await connection.resolve().catch(() => undefined)
  return target && target.api_url === findTrialUrl(dataDir) ? target.api_url : undefined
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    return `${await app.listen({ host, port })}/v1`
  } catch (error) {
    throw notListening(error, { host, port })
  }
}

async function reserve({ host, port }: Config): Promise<ReservedPort | undefined> {
  try {
    return await reservePort({ host, port })
  } catch (error) {
    throw notListening(error, { host, port })
  }
}

function notListening(error: unknown, at: { host: string; port: number }): unknown {
  const hint = 'set VIGIL_HOST and VIGIL_PORT'
  return listenFault(error, { ...at, hint: `Stop it, or ${hint}`, otherwise: hint })
}

type ShownFirstRun = FirstRun | Pick<FirstRun, 'org_id' | 'email'>

const withoutSecrets = ({ org_id, email }: FirstRun): ShownFirstRun => ({ org_id, email })

function readyLines(ready: {
  url: string | undefined
  data_dir: string
  trial_emulator: string | undefined
  first_run: ShownFirstRun | undefined
  credentials_file: string | undefined
}): string[] {
  const { url, data_dir, trial_emulator, first_run, credentials_file } = ready
  const lines = [`Vigil ${VERSION}`, `  data       ${data_dir}`]
  if (url !== undefined) {
    const origin = url.replace(/\/v1$/, '')
    const reference = `  reference  ${origin}/docs`
    lines.push(`  console    ${origin}/console`, `  API        ${url}`, reference)
  }
  if (trial_emulator !== undefined) {
    lines.push(
      `  devices    ${trial_emulator} (emulated phones; \`vigil mdm connect\` connects Google)`,
    )
  }
  if (first_run && 'password' in first_run) lines.push(...firstStartLines(first_run, url))
  if (credentials_file !== undefined) lines.push(...fileLines(credentials_file))
  return lines
}

async function closeAll(closers: (() => Promise<void>)[], log: Log): Promise<void> {
  const deadline = setTimeout(() => {
    log.warn('requests in progress did not finish in time')
    process.exit(1)
  }, STOP_DEADLINE_MS)
  for (const close of closers) {
    await close().catch((error: unknown) => log.error({ err: error }, 'closing failed'))
  }
  clearTimeout(deadline)
  // The timer is unreferenced, so without remaining work the process ends immediately.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
