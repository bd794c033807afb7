/** `vigil demo`: a service filled with one simulated month of a supermarket chain. */
import type { Demo } from '../../demo/installation.ts'
import { chooseDataDir, SYSTEM_DATA_DIR } from '../app/data-dir.ts'
import { exampleCheck } from '../app/first-run.ts'
import { isStartedByNpm, readConfig } from '../config.ts'
import { isEngineInstalled } from '../platform/clickhouse/embedded/installed.ts'
import type { DataFolder } from '../platform/embedded/leave-root.ts'
import { requireBindable } from '../platform/net/bindable.ts'
import { requireEmbeddedPostgres } from '../platform/postgres/embedded/binaries.ts'
import { leaveRootFor } from './command.ts'
import type { Io, Options } from './io.ts'
import { listenFault } from './options.ts'
import { type StopSignal, stopSignal } from './stop-signal.ts'

export type DemoOptions = Options & {
  dataDir?: string
  port: number
  seed: number
  days: number
  scale: number
  size: 'standard' | 'large'
  reset?: boolean
  fillOnly?: boolean
}

/** Only these settings are read; the demo sets all others itself. */
const SETTINGS = [
  'VIGIL_HOST',
  'VIGIL_PUBLIC_URL',
  'VIGIL_ALLOWED_HOSTS',
  'VIGIL_LOG_LEVEL',
] as const
const LOG_LEVEL = 'error'
const NO_LOGS =
  'The embedded analytics engine is not installed, so the demo has no logs and no browser events. To add them, run `npm install chdb` and start the demo with --reset'
const HINT = 'Choose another port with --port'
/** Time that remaining work gets after everything is closed. */
const LINGER_MS = 100
/** Smaller shares of the large demo are copies of a part of the month, which is filled in seconds. */
const LARGE_FROM = 0.1
const SMALL_MONTH = 0.1

export async function runDemo(io: Io, options: DemoOptions): Promise<void> {
  const { openDemo } = await import('../../demo/installation.ts')
  const { findDemo } = await import('../../demo/manifest.ts')
  requireEmbeddedPostgres('The demo')
  if (!isEngineInstalled()) io.stderr(NO_LOGS)
  const environment = environmentOf(io, options)
  const { data_dir } = readConfig({ VIGIL_DATA_DIR: io.environment['VIGIL_DATA_DIR'] })
  const chosen = demoFolder(options.dataDir, data_dir, io.working_folder)
  // Only a demo's folder may change its owner, and the message is about the demo.
  findDemo(chosen.path)
  const folder = await leaveRootFor(io, chosen, true)
  const { host, port: wanted } = readConfig(environment)
  // Fails before half a minute is spent on filling.
  if (options.fillOnly !== true) await requireBindable(host, wanted).catch(notFree(host, wanted))
  const stop = stopSignal(isStartedByNpm(io.environment))
  const begun = performance.now()
  const progress = (line: string) => {
    if (stop.isRequested()) return
    io.stderr(`${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s  ${line}`)
  }
  const { seed, days, reset = false } = options
  const simulation = { seed, days, ...scalesOf(options), reset }
  const opening = openDemo({ ...simulation, folder, environment, progress })
  const opened = await Promise.race([opening, stop.requested])
  if (!opened) {
    // The engines end with this process; the manifest in the folder says whether filling is complete.
    io.stderr('Stopped before the demo was ready. The next start continues or fills it again')
    process.exit(1)
  }
  try {
    if (options.fillOnly === true) print(io, options, opened, undefined)
    else await serve(io, options, opened, stop)
  } finally {
    await opened.close()
    // The timer is unreferenced, so without remaining work the process ends immediately.
    setTimeout(() => process.exit(), LINGER_MS).unref()
  }
}

/** A large demo consists of copies of the month, of which a small one needs only a part. */
const scalesOf = ({ size, scale }: Pick<DemoOptions, 'size' | 'scale'>) =>
  size === 'large'
    ? { scale: scale < LARGE_FROM ? SMALL_MONTH : 1, large_scale: scale }
    : { scale, large_scale: undefined }

/** The default is next to the data directory, never within it, for any spelling of its path. */
export const demoFolder = (
  chosen: string | undefined,
  dataDir: string | undefined,
  workingFolder: string,
): DataFolder => {
  if (chosen !== undefined) {
    return { path: chooseDataDir(chosen, workingFolder), otherwise: undefined }
  }
  const suffix = '-demo'
  const otherwise = dataDir === undefined ? `${SYSTEM_DATA_DIR}${suffix}` : undefined
  return { path: `${chooseDataDir(dataDir, workingFolder)}${suffix}`, otherwise, suffix }
}

async function serve(io: Io, options: DemoOptions, demo: Demo, stop: StopSignal): Promise<void> {
  const { app, config } = demo
  const { host, port: wanted } = config
  const url = await app.listen({ host, port: wanted }).catch(notFree(host, wanted))
  demo.begin(url)
  print(io, options, demo, url)
  await stop.requested
}

function print(io: Io, { json }: DemoOptions, demo: Demo, url: string | undefined): void {
  const { people, state, counts, story, stores, emulators } = demo
  const { org_id, owner, keys } = people
  if (json) {
    const { data_dir } = stores
    const { seed, days } = story
    const settings = { url, console: url && `${url}/console`, data_dir, state, seed, days }
    io.stdout(JSON.stringify({ ...settings, org_id, ...owner, keys, counts }))
    return
  }
  const numbers = Object.entries(counts).map(
    ([name, number]) => `${number.toLocaleString('en')} ${name}`,
  )
  for (const line of [
    '',
    state === 'began'
      ? `Northwind Supermarkets, ${numbers.join(', ')}`
      : 'Northwind Supermarkets, continued',
    ...(url === undefined ? [] : [`  console    ${url}/console`]),
    `  sign in    ${owner.email}`,
    `  password   ${owner.password}`,
    `  API key    ${keys.live_secret}`,
    `  data       ${stores.data_dir}`,
    `  mails      curl ${emulators.smtp.control_url}/received`,
    `  Slack      curl -k ${emulators.slack.url}/received`,
    ...(url === undefined
      ? []
      : [
          '',
          'Try a check:',
          exampleCheck(`${url}/v1`, keys.test_secret),
          '',
          'Press Ctrl-C to stop the demo. The next start continues it.',
        ]),
  ]) {
    io.stdout(line)
  }
}

function environmentOf({ environment }: Io, options: DemoOptions): Record<string, string> {
  const own: Record<string, string> = {
    VIGIL_LOG_LEVEL: LOG_LEVEL,
    VIGIL_PORT: String(options.port),
  }
  for (const name of SETTINGS) {
    const value = environment[name]
    if (value !== undefined) own[name] = value
  }
  return own
}

const notFree = (host: string, wanted: number) => (error: unknown) => {
  throw listenFault(error, { host, port: wanted, hint: HINT, otherwise: HINT.toLowerCase() })
}
