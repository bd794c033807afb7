/** Runs one benchmark by name: `npm run bench -- check`. Progress goes to stderr, the report to stdout. */
import { cpus } from 'node:os'
import type { Context } from './bed.ts'
import { benchCheck } from './check.ts'
import { createCleanup } from './cleanup.ts'
import { benchGate } from './gate.ts'
import { benchHostile } from './hostile.ts'
import { serveHttpLoad } from './http-load.ts'
import { serveInsertLoad } from './insert-load.ts'
import { benchLogs } from './logs.ts'
import { serveLogsDrain } from './logs-drain.ts'
import { benchMdm } from './mdm.ts'
import { serveMdmEmulator } from './mdm-emulator.ts'
import { type BenchOptions, readOptions, USAGE } from './options.ts'
import { benchOrders } from './orders.ts'
import { serveOrdersCore } from './orders-core.ts'
import { benchPush } from './push.ts'
import { benchPushImports } from './push-imports.ts'
import { servePushProvider } from './push-provider.ts'
import { benchPushRegistrations } from './push-registrations.ts'
import { servePushSender } from './push-sender.ts'
import { type Findings, printReport } from './report.ts'
import { benchRules } from './rules.ts'
import { benchSizes } from './sizes.ts'
import { serveWebhookReceiver } from './webhook-receiver.ts'
import { serveWebhookSender } from './webhook-sender.ts'
import { benchWebhooks } from './webhooks.ts'

const BENCHMARKS = new Map<string, (context: Context) => Promise<Findings>>([
  ['check', benchCheck],
  ['orders', benchOrders],
  ['webhooks', benchWebhooks],
  ['logs', benchLogs],
  ['mdm', benchMdm],
  ['push', benchPush],
  ['push-registrations', benchPushRegistrations],
  ['push-imports', benchPushImports],
  ['hostile', benchHostile],
  ['gate', benchGate],
  ['sizes', benchSizes],
  ['rules', benchRules],
])

const WORKERS = new Map<string, () => Promise<void>>([
  ['http-load', serveHttpLoad],
  ['insert-load', serveInsertLoad],
  ['orders-core', serveOrdersCore],
  ['logs-drain', serveLogsDrain],
  ['mdm-emulator', serveMdmEmulator],
  ['push-provider', servePushProvider],
  ['push-sender', servePushSender],
  ['webhook-receiver', serveWebhookReceiver],
  ['webhook-sender', serveWebhookSender],
])

/** Time limit of a benchmark. */
const DEADLINE_MS = 20 * 60_000

const [name = '', ...args] = process.argv.slice(2)
const worker = name === 'worker' ? WORKERS.get(args[0] ?? '') : undefined
if (worker) await worker()
else process.exit(await runBenchmark(name, args))

/** @returns the exit status: 2 for wrong arguments, 1 for a benchmark that failed */
async function runBenchmark(benchmark: string, benchArgs: string[]): Promise<number> {
  const run = BENCHMARKS.get(benchmark)
  const onProgress = (text: string) => void process.stderr.write(`${text}\n`)
  if (!run) {
    onProgress(`usage: npm run bench -- <${[...BENCHMARKS.keys()].join('|')}> [options]\n${USAGE}`)
    return 2
  }
  let options: BenchOptions
  try {
    options = readOptions(benchArgs)
  } catch (error) {
    onProgress(`${messageOf(error)}\n${USAGE}`)
    return 2
  }
  const cleanup = createCleanup()
  const giveUp = (reason: string) => {
    onProgress(reason)
    void cleanup.run().finally(() => process.exit(1))
  }
  process.once('SIGINT', () => giveUp('interrupted'))
  process.once('SIGTERM', () => giveUp('terminated'))
  process.once('uncaughtException', (error) => giveUp(String(error)))
  setTimeout(giveUp, DEADLINE_MS, 'the benchmark took too long').unref()
  try {
    const findings = await run({ options, cleanup, onProgress })
    const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.version}`
    const report = { benchmark, machine, rounds: options.rounds, ...findings }
    process.stdout.write(`${options.json ? JSON.stringify(report) : printReport(report)}\n`)
    if (findings.failure === undefined) return 0
    onProgress(findings.failure)
    return 1
  } catch (error) {
    onProgress(messageOf(error))
    return 1
  } finally {
    await cleanup.run()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
