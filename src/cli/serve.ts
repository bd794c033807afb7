/** `vigil serve`: the service, until it is told to stop. */
import type { Command } from 'commander'
import { createHttp, createServices, type Services, VERSION } from '../app.ts'
import { type Config, isStartedByNpm, readConfig } from '../config.ts'
import { exampleCheck, type FirstRun, setUpFirstOrganization } from '../first-run.ts'
import { startJobs } from '../jobs.ts'
import { hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { createLog, type Log } from '../platform/log.ts'
import { openStores, type Stores } from '../stores.ts'
import type { Io, Options } from './command.ts'
import { trackRequests } from './drain.ts'
import { listenFault, oneOf } from './options.ts'
import { stopSignal } from './stop-signal.ts'
import { createTrialEmulator, findTrialUrl, isOffered } from './trial-emulator.ts'

type Role = 'all' | 'api' | 'worker'

/** Requests under way get this long to finish. */
const STOP_DEADLINE_MS = 10_000
/** What still runs when everything is closed (look-ups that were cut off) gets this long. */
const LINGER_MS = 100

export function serveCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('run the service')
    .addOption(
      oneOf('--role <role>', ['all', 'api', 'worker'], 'what this process does').default('all'),
    )
    .option('--json', 'print one JSON object when ready')
    .action(async (options: Options & { role: Role }) => {
      await serve(io, options)
    })
}

async function serve(io: Io, { role, json }: Options & { role: Role }): Promise<void> {
  const config = readConfig(io.environment)
  const log = createLog(config.log_level)
  const stop = stopSignal(isStartedByNpm(io.environment))
  const stores = await openStores({
    config,
    log,
    working_folder: io.working_folder,
    progress: io.stderr,
  }).catch((error: unknown) => {
    // Ctrl-C reaches what is being made as well, which then fails as it should.
    if (stop.isRequested()) return undefined
    throw error
  })
  if (!stores) return
  const closers: (() => Promise<void>)[] = [stores.close]
  try {
    if (stop.isRequested()) return
    const trial = isOffered(config) ? createTrialEmulator({ ...stores, log }) : undefined
    if (trial) closers.unshift(trial.close)
    const services = await createServices(stores, config, { trialUrl: trial?.url })
    startAnalytics(stores, config)
    let url: string | undefined
    if (role !== 'worker') {
      const http = await createHttp(stores, services, config)
      const requests = trackRequests(http.app.server)
      closers.unshift(async () => {
        const closed = http.close()
        requests.drain()
        await closed
      })
      url = await listen(http.app, config.host, config.port)
    }
    // After everything that can refuse to start: what is made here is shown once, and only here.
    const firstRun = await setUpFirstOrganization(stores)
    const ready = {
      version: VERSION,
      role,
      url,
      data_dir: stores.data_dir,
      trial_emulator: trial ? await trialUrlIn(stores.data_dir, services) : undefined,
      first_run: firstRun,
    }
    if (json) io.stdout(JSON.stringify(ready))
    else for (const line of readyLines(ready)) io.stdout(line)
    if (role !== 'api') {
      const jobs = startJobs(stores, services, config)
      closers.unshift(() => jobs.stop())
    }
    log.info({ role, url }, 'ready')
    await stop.requested
    log.info('stopping')
  } finally {
    await closeAll(closers, log)
  }
}

/** The embedded one only where there is something in it: who sends no logs does not pay for it. */
function startAnalytics({ analytics, data_dir }: Stores, { clickhouse_url }: Config): void {
  if (clickhouse_url !== undefined || hasEmbeddedData(data_dir)) analytics.start()
}

/** Starts the emulator for trying out devices, if it is what they are managed through. */
async function trialUrlIn(
  dataDir: string,
  { device_management: { connection } }: Services,
): Promise<string | undefined> {
  const target = await connection.resolve().catch(() => undefined)
  return target && target.api_url === findTrialUrl(dataDir) ? target.api_url : undefined
}

async function listen(
  app: { listen(options: { host: string; port: number }): Promise<string> },
  host: string,
  port: number,
): Promise<string> {
  try {
    return `${await app.listen({ host, port })}/v1`
  } catch (error) {
    const hint = 'set VIGIL_HOST and VIGIL_PORT'
    throw listenFault(error, { host, port, hint: `Stop that one, or ${hint}`, otherwise: hint })
  }
}

function readyLines(ready: {
  url: string | undefined
  data_dir: string
  trial_emulator: string | undefined
  first_run: FirstRun | undefined
}): string[] {
  const { url, data_dir, trial_emulator, first_run } = ready
  const lines = [`Vigil ${VERSION}`, `  data       ${data_dir}`]
  if (url !== undefined) {
    const origin = url.replace(/\/v1$/, '')
    lines.push(
      `  console    ${origin}/console`,
      `  API        ${url}`,
      `  reference  ${origin}/docs`,
    )
  }
  if (trial_emulator !== undefined) {
    lines.push(
      `  devices    ${trial_emulator} (emulated phones, until \`vigil mdm connect\` connects Google)`,
    )
  }
  if (!first_run) return lines
  const { org_id, email, password, keys } = first_run
  lines.push(
    '',
    'First start. Keep what follows; it is not shown again.',
    `  organisation  ${org_id}`,
    `  owner         ${email}`,
    `  password      ${password}`,
    ...Object.entries(keys).map(([type, key]) => `  ${type.padEnd(13)} ${key}`),
  )
  if (url !== undefined) lines.push('', 'Try a check:', exampleCheck(url, keys.test_secret))
  return lines
}

async function closeAll(closers: (() => Promise<void>)[], log: Log): Promise<void> {
  const deadline = setTimeout(() => {
    log.warn('requests under way did not finish in time')
    process.exit(1)
  }, STOP_DEADLINE_MS)
  for (const close of closers) {
    await close().catch((error: unknown) => log.error({ err: error }, 'closing failed'))
  }
  clearTimeout(deadline)
  // Unreferenced: where nothing lingers, the process ends by itself and at once.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
