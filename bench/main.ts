/** Runs one benchmark by name: `npm run bench -- check`. Progress goes to stderr, numbers to stdout. */
import { serveBareHttp } from './bare-http.ts'
import { benchCheck } from './check.ts'
import { printCheck } from './check-report.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { serveCore } from './core.ts'
import { serveGrowth } from './growth.ts'
import { serveHttpLoad } from './http-load.ts'
import { serveInsertLoad } from './insert-load.ts'
import { benchLogs } from './logs.ts'
import { serveLogsDrain } from './logs-drain-worker.ts'
import { serveLogsInserts } from './logs-inserts.ts'
import { serveLogsProber } from './logs-prober.ts'
import { printLogs } from './logs-report.ts'
import { benchMdm } from './mdm.ts'
import { serveMdmEmulator } from './mdm-emulator.ts'
import { printMdm } from './mdm-report.ts'
import { serveMdmServer } from './mdm-server.ts'
import { type BenchOptions, readOptions, USAGE } from './options.ts'
import { benchOrders } from './orders.ts'
import { printOrders } from './orders-report.ts'
import { benchPush } from './push.ts'
import { servePushProvider } from './push-provider.ts'
import { printPush } from './push-report.ts'
import { servePushSender } from './push-sender.ts'
import { serveWebhookSender } from './webhook-sender.ts'
import { serveWebhookSink } from './webhook-sink.ts'
import { benchWebhooks } from './webhooks.ts'
import { printWebhooks } from './webhooks-report.ts'

type Bench = (
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
) => Promise<{ json: object; text: string }>

/** Nothing that a benchmark waits for may keep it forever. */
const DEADLINE_MS = 20 * 60_000

const BENCHES = new Map<string, Bench>([
  [
    'check',
    async (options, cleanup, tell) => {
      const report = await benchCheck(options, cleanup, tell)
      return { json: report, text: printCheck(report) }
    },
  ],
  [
    'orders',
    async (options, cleanup, tell) => {
      const report = await benchOrders(options, cleanup, tell)
      return { json: report, text: printOrders(report) }
    },
  ],
  [
    'webhooks',
    async (options, cleanup, tell) => {
      const report = await benchWebhooks(options, cleanup, tell)
      return { json: report, text: printWebhooks(report) }
    },
  ],
  [
    'logs',
    async (options, cleanup, tell) => {
      const report = await benchLogs(options, cleanup, tell)
      return { json: report, text: printLogs(report) }
    },
  ],
  [
    'mdm',
    async (options, cleanup, tell) => {
      const report = await benchMdm(options, cleanup, tell)
      return { json: report, text: printMdm(report) }
    },
  ],
  [
    'push',
    async (options, cleanup, tell) => {
      const report = await benchPush(options, cleanup, tell)
      return { json: report, text: printPush(report) }
    },
  ],
])

const WORKERS = new Map<string, () => Promise<void>>([
  ['http-load', serveHttpLoad],
  ['insert-load', serveInsertLoad],
  ['bare-http', serveBareHttp],
  ['core', serveCore],
  ['growth', serveGrowth],
  ['webhook-sink', serveWebhookSink],
  ['webhook-sender', serveWebhookSender],
  ['logs-inserts', serveLogsInserts],
  ['logs-drain', serveLogsDrain],
  ['logs-prober', serveLogsProber],
  ['mdm-emulator', serveMdmEmulator],
  ['mdm-server', serveMdmServer],
  ['push-provider', servePushProvider],
  ['push-sender', servePushSender],
])

const [name = '', ...args] = process.argv.slice(2)
const worker = name === 'worker' ? WORKERS.get(args[0] ?? '') : undefined
if (worker) await worker()
else process.exit(await runBench(name, args))

/** @returns the exit status: 2 for a wrong call, 1 for a benchmark that failed */
async function runBench(benchName: string, benchArgs: string[]): Promise<number> {
  const bench = BENCHES.get(benchName)
  const tell = (text: string) => void process.stderr.write(`${text}\n`)
  if (!bench) {
    tell(`usage: npm run bench -- <name> [options]; names: ${[...BENCHES.keys()].join(', ')}`)
    tell(USAGE)
    return 2
  }
  let options: BenchOptions
  try {
    options = readOptions(benchArgs)
  } catch (error) {
    tell(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return 2
  }
  const cleanup = createCleanup()
  const giveUp = (reason: string) => {
    tell(reason)
    void cleanup.run().finally(() => process.exit(1))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => giveUp('stopped'))
  }
  process.once('uncaughtException', (error) => giveUp(String(error)))
  setTimeout(giveUp, DEADLINE_MS, 'gave up: the benchmark took too long').unref()
  try {
    const { json, text } = await bench(options, cleanup, tell)
    process.stdout.write(`${options.json ? JSON.stringify(json) : text}\n`)
    return 0
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    await cleanup.run()
  }
}
