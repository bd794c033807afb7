/** `vigil demo`: a made-up chain of supermarkets with a month behind it, to look around in. */
import type { Command } from 'commander'
import type { Demo } from '../../demo/installation.ts'
import { isStartedByNpm, readConfig } from '../config.ts'
import { chooseDataDir } from '../data-dir.ts'
import { exampleCheck } from '../first-run.ts'
import { requireBindable } from '../platform/net/bindable.ts'
import type { Io, Options } from './command.ts'
import { trackRequests } from './drain.ts'
import { count, listenFault, port, share } from './options.ts'
import { type StopSignal, stopSignal } from './stop-signal.ts'

type DemoOptions = Options & {
  dataDir?: string
  port?: number
  seed: number
  days: number
  scale: number
  reset?: boolean
  fillOnly?: boolean
}

/** Of the settings only these are read: everything else the demonstration has for itself. */
const SETTINGS = ['VIGIL_HOST', 'VIGIL_PORT', 'VIGIL_PUBLIC_URL', 'VIGIL_LOG_LEVEL'] as const
const LOG_LEVEL = 'error'
const DAYS = 30
const HINT = 'Choose another one by --port'
/** What still runs when everything is closed gets this long. */
const LINGER_MS = 100

export function demoCommand(program: Command, io: Io): void {
  program
    .command('demo')
    .description('a service with a made-up month in it, for looking around')
    .option('--data-dir <folder>', 'where it is kept (default: the data directory with -demo)')
    .option('--port <port>', 'port to listen on, 0 picks a free one (default: VIGIL_PORT)', port)
    .option('--seed <number>', 'another one is another story', count, 1)
    .option('--days <number>', 'how long the story is', count, DAYS)
    .option('--scale <share>', 'how much of it, 1 is all', share, 1)
    .option('--reset', 'begin again, whatever is there')
    .option('--fill-only', 'fill it and end')
    .option('--json', 'print one JSON object when ready')
    .action(async (options: DemoOptions) => {
      await run(io, options)
    })
}

async function run(io: Io, options: DemoOptions): Promise<void> {
  const { openDemo } = await import('../../demo/installation.ts')
  const environment = environmentOf(io, options)
  const { data_dir } = readConfig({ VIGIL_DATA_DIR: io.environment['VIGIL_DATA_DIR'] })
  const folder = demoFolder(options.dataDir, data_dir, io.working_folder)
  const { host, port: wanted } = readConfig(environment)
  if (options.fillOnly !== true) await requireFree(host, wanted)
  const stop = stopSignal(isStartedByNpm(io.environment))
  const begun = performance.now()
  const progress = (line: string) => {
    if (stop.isRequested()) return
    io.stderr(`${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s  ${line}`)
  }
  const { seed, days, scale, reset = false } = options
  const opening = openDemo({
    seed,
    days,
    scale,
    reset,
    folder,
    environment,
    working_folder: io.working_folder,
    progress,
  })
  const opened = await Promise.race([opening, stop.requested])
  if (!opened) {
    // Its engines end with this process; the note in the folder says whether it was finished.
    io.stderr('Stopped before it was ready; the next start goes on, or begins again')
    process.exit(1)
  }
  try {
    if (options.fillOnly === true) say(io, options, opened, undefined)
    else await serve(io, options, opened, stop)
  } finally {
    await opened.close()
    // Unreferenced: where nothing lingers, the process ends by itself and at once.
    setTimeout(() => process.exit(), LINGER_MS).unref()
  }
}

/** Beside the data directory of an installation, however that is written, and never within it. */
export const demoFolder = (
  told: string | undefined,
  dataDir: string | undefined,
  workingFolder: string,
): string =>
  told === undefined
    ? `${chooseDataDir(dataDir, workingFolder)}-demo`
    : chooseDataDir(told, workingFolder)

async function serve(io: Io, options: DemoOptions, demo: Demo, stop: StopSignal): Promise<void> {
  const { app, config } = demo
  const requests = trackRequests(app.server)
  const { host } = config
  const url = await app.listen({ host, port: config.port }).catch((error: unknown) => {
    throw listenFault(error, { host, port: config.port, hint: HINT, otherwise: HINT.toLowerCase() })
  })
  demo.begin(url)
  say(io, options, demo, url)
  await stop.requested
  requests.drain()
}

function say(io: Io, { json }: DemoOptions, demo: Demo, url: string | undefined): void {
  const { people, state, counts, story, stores } = demo
  const { org_id, owner, keys } = people
  if (json) {
    const { data_dir } = stores
    const { seed, days } = story
    io.stdout(
      JSON.stringify({
        url,
        console: url && `${url}/console`,
        data_dir,
        state,
        seed,
        days,
        org_id,
        ...owner,
        keys,
        counts,
      }),
    )
    return
  }
  const told = Object.entries(counts).map(
    ([name, number]) => `${number.toLocaleString('en')} ${name}`,
  )
  for (const line of [
    '',
    state === 'began'
      ? `Northwind Supermarkets, ${told.join(', ')}`
      : 'Northwind Supermarkets, as it was left, and since',
    ...(url === undefined ? [] : [`  console    ${url}/console`]),
    `  sign in    ${owner.email}`,
    `  password   ${owner.password}`,
    `  API key    ${keys.live_secret}`,
    `  data       ${stores.data_dir}`,
    ...(url === undefined
      ? []
      : [
          '',
          'Try a check:',
          exampleCheck(`${url}/v1`, keys.test_secret),
          '',
          'Ctrl-C stops it; the next start goes on.',
        ]),
  ]) {
    io.stdout(line)
  }
}

function environmentOf({ environment }: Io, { port: told }: DemoOptions): Record<string, string> {
  const own: Record<string, string> = { VIGIL_LOG_LEVEL: LOG_LEVEL }
  for (const name of SETTINGS) {
    const value = environment[name]
    if (value !== undefined) own[name] = value
  }
  return told === undefined ? own : { ...own, VIGIL_PORT: String(told) }
}

/** Before half a minute is spent on filling. */
async function requireFree(host: string, wanted: number): Promise<void> {
  await requireBindable(host, wanted).catch((error: unknown) => {
    throw listenFault(error, { host, port: wanted, hint: HINT, otherwise: HINT.toLowerCase() })
  })
}
