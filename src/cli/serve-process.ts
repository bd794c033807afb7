/** One of several processes of the service, which `vigil serve` starts and connects with each other. */
import type { Server } from 'node:http'
import { createHttp, createParts, openCore, startJobs } from '../app/index.ts'
import { openStores, type Stores } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import type { EmbeddedClickHouse } from '../platform/clickhouse/embedded/server.ts'
import { EngineUnavailable } from '../platform/clickhouse/errors.ts'
import { allowHeapToGrow } from '../platform/heap-growth.ts'
import { createLog } from '../platform/log.ts'
import { openHandOver } from '../platform/net/hand-over.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import {
  type Channel,
  createChannel,
  createSiblings,
  type ProcessRole,
  type StartFault,
} from '../platform/processes/index.ts'
import { closeAll } from './close-all.ts'
import { CommandError, type Io } from './io.ts'
import { readyUntil, trialUrlIn } from './serve-steps.ts'
import { createTrialEmulator, isOffered, loadEmulator } from './trial-emulator.ts'

/** The report of a process that is ready. */
export type ProcessReport = { trial_emulator?: string | undefined }

type Start = { role: ProcessRole; data_dir: string; socket: string }

type Stop = { is_gentle: boolean }

/** The address of the analytics engine is requested again after this time. */
const ADDRESS_FRESH_MS = 1000

export async function serveProcess(io: Io): Promise<void> {
  if (!process.connected) throw new CommandError('Only `vigil serve` can run this command')
  // Signals are for the supervisor; those of a terminal reach all processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  allowHeapToGrow()
  const channel = createChannel(process as Parameters<typeof createChannel>[0])
  const started = new Promise<Start>((resolve) => {
    channel.on('start', (start) => resolve(start as Start))
  })
  const stopped = new Promise<Stop>((resolve) => {
    channel.on('stop', (stop) => resolve(stop as Stop))
    process.once('disconnect', () => resolve({ is_gentle: false }))
  })
  try {
    await run(io, { channel, stopped, start: await started })
  } catch (error) {
    const is_plain = error instanceof OperatorError
    const stack = error instanceof Error ? error.stack : undefined
    const fault: StartFault = { is_plain, reason: is_plain ? reasonOf(error) : (stack ?? '') }
    channel.send('failed', fault)
    process.exitCode = 1
    // The open channel would keep the process running.
    process.disconnect?.()
  }
}

type Run = { channel: Channel; start: Start; stopped: Promise<Stop> }

async function run(io: Io, { channel, start, stopped }: Run): Promise<void> {
  const { role, socket } = start
  const config = readConfig(io.environment)
  const log = createLog(config.log_level)
  const stores = await openJoined(io, { config, channel, log, data_dir: start.data_dir })
  const closers: (() => Promise<void>)[] = [stores.close]
  try {
    const startAndroid = isOffered(config) ? await loadEmulator() : undefined
    const trial = startAndroid && createTrialEmulator({ ...stores, log, startAndroid })
    if (trial) closers.unshift(trial.close)
    const siblings = createSiblings(channel, role === 'worker')
    const handOver = role === 'api' ? await openHandOver(socket, channel) : undefined
    const connected = { ...siblings, route: handOver?.route }
    const core = await openCore(stores, config, { trialUrl: trial?.url }, connected)
    closers.push(async () => await core.tracing?.close())
    // What this process has counted still counts when it has ended.
    closers.push(async () => channel.send('last metrics', await core.metrics.snapshot()))
    channel.answer('metrics', core.metrics.snapshot)
    const parts = await createParts(core)
    const render = async () => (await channel.ask('all metrics')) as Rendered
    const draining = new AbortController()
    const readiness = readyUntil(draining.signal, core.readiness)
    const http =
      role === 'api' ? await createHttp({ ...core, readiness }, parts, render) : undefined
    channel.on('drain', () => {
      draining.abort()
      http?.part()
    })
    if (http) {
      closers.unshift(http.close)
      if (handOver) closers.unshift(handOver.close)
      takeConnections(http.app.server, channel)
    } else {
      const jobs = startJobs(core, parts)
      closers.unshift(() => jobs.stop())
    }
    const trial_emulator = trial ? await trialUrlIn(stores.data_dir, parts) : undefined
    const report: ProcessReport = { trial_emulator }
    channel.send('ready', report)
    const { is_gentle } = await stopped
    if (is_gentle) {
      http?.part()
      await http?.parted()
    }
  } finally {
    await closeAll(closers, log)
  }
}

type Rendered = { content_type: string; text: string }

/** Serves the connections that the supervisor accepts. */
function takeConnections(server: Server, channel: Channel): void {
  // Starts the timeouts of requests and the list of connections, as listening itself does.
  server.emit('listening')
  channel.on('connection', (_content, socket) => {
    channel.send('taken')
    // A client may have closed the connection in the meantime.
    if (!socket) return
    socket.setNoDelay(true)
    server.emit('connection', socket)
    socket.resume()
  })
}

type Joined = Pick<Start, 'data_dir'> & { config: Config; channel: Channel; log: Stores['log'] }

const openJoined = async (io: Io, { config, channel, log, data_dir }: Joined): Promise<Stores> =>
  await openStores({
    config,
    log,
    data_dir,
    progress: io.stderr,
    joins: true,
    engine: createRemoteEngine(channel),
  })

/** The analytics engine that the supervisor runs. */
function createRemoteEngine(channel: Channel): EmbeddedClickHouse {
  let known: { address: ReturnType<EmbeddedClickHouse['address']>; at: number } | undefined
  const ask = async () => {
    try {
      return (await channel.ask('engine')) as Awaited<ReturnType<EmbeddedClickHouse['address']>>
    } catch (error) {
      known = undefined
      throw new EngineUnavailable(reasonOf(error))
    }
  }
  return {
    address: async () => {
      if (!known || performance.now() - known.at > ADDRESS_FRESH_MS) {
        known = { address: ask(), at: performance.now() }
      }
      return await known.address
    },
    suspect: () => {
      known = undefined
      channel.send('suspect engine')
    },
    close: () => Promise.resolve(),
  }
}
