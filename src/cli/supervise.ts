/**
 * `vigil serve` with several processes: opens the engines and the port, which belong to this process,
 * and keeps processes with the roles `api` and `worker` running.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stores } from '../app/stores.ts'
import { type Config, isStartedByNpm, readEnvironment } from '../config.ts'
import {
  createEmbeddedClickHouse,
  type EmbeddedClickHouse,
} from '../platform/clickhouse/embedded/server.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import type { Places } from '../platform/net/hand-over.ts'
import { needsRoot } from '../platform/net/reserved-port.ts'
import { openPort, type Port } from '../platform/net/shared-port.ts'
import { createReadinessProbe } from '../platform/postgres/write-probe.ts'
import {
  type Child,
  connectSiblings,
  createMergedMetrics,
  createSupervisor,
  type ProcessRole,
  type Supervisor,
  startChild,
} from '../platform/processes/index.ts'
import { closeAll } from './close-all.ts'
import { enterDataDir } from './command.ts'
import { SERVE_PROCESS } from './commands/serve-process.ts'
import type { Io } from './io.ts'
import { printReady } from './ready.ts'
import type { ProcessReport } from './serve-process.ts'
import {
  adviseAnalytics,
  adviseRuntime,
  drain,
  notListening,
  openAdminPort,
  openForService,
  readyUntil,
  type ServeOptions,
  setUp,
  startAnalytics,
} from './serve-steps.ts'
import { markService } from './service-mark.ts'
import { stopSignal } from './stop-signal.ts'

export type SuperviseOptions = Required<ServeOptions> & {
  config: Config
  roles: readonly ProcessRole[]
}

/** Longer than the deadline of the processes. */
const STOP_DEADLINE_MS = 15_000
/** Connections of commands and of a process that replaces another. */
const SPARE_CONNECTIONS = 20
/** The number that the embedded PostgreSQL accepts otherwise. */
const CONNECTIONS_MIN = 100

export async function supervise(io: Io, options: SuperviseOptions): Promise<void> {
  const { config, roles, role } = options
  const log = createLog(config.log_level)
  const isEarly = io.leaves_root === true && role !== 'worker' && needsRoot(config.port)
  const early = isEarly ? await open(config) : undefined
  const data_dir = await enterDataDir(io, config)
  let restart = () => {}
  // A terminal that is closed sends SIGHUP, too.
  const onHangup = io.is_terminal === true ? undefined : () => restart()
  const stop = stopSignal(isStartedByNpm(io.environment), onHangup)
  adviseRuntime(io)
  adviseAnalytics(io, config)
  const engine = createEngine(config, data_dir, log)
  const stores = await openForService(stop, {
    config,
    log,
    data_dir,
    progress: io.stderr,
    engine,
    postgres_settings: [`max_connections=${connectionsOf(config, roles.length)}`],
  })
  if (!stores) return
  const closers: (() => Promise<void>)[] = [stores.close]
  try {
    if (stop.isRequested()) return
    startAnalytics(stores, config)
    const port = role === 'worker' ? undefined : (early ?? (await open(config)))
    const service = createService(io, { log, data_dir, engine, roles, port })
    closers.unshift(service.supervisor.stop, () => Promise.resolve(service.removeSockets()))
    const readiness = readyUntil(stop.signal, createReadinessProbe(stores.db))
    const { render } = service
    const { cells } = stores
    const admin = await openAdminPort({ config, role, log, readiness, render, cells })
    if (admin) closers.unshift(admin.close)
    const url = urlOf(port)
    await startAll(io, { ...options, stores, url, admin_url: admin?.url }, service)
    const removeMark = markService(stores.data_dir, { role, url })
    closers.unshift(() => Promise.resolve(removeMark()))
    restart = service.restart
    log.info({ role, processes: roles.length }, 'ready')
    await Promise.race([stop.requested, service.failed])
    log.info('stopping')
    if (port && stop.isRequested()) await drain(config, io, service.supervisor.drain)
  } finally {
    await closeAll(closers, log, STOP_DEADLINE_MS)
  }
}

type Service = {
  supervisor: Supervisor
  /** Reads the settings again and replaces all processes. */
  restart: () => void
  removeSockets: () => void
  /** Renders the metrics of all processes. */
  render: Metrics['render']
  /** Rejects when too many processes could not be replaced. */
  failed: Promise<never>
}

type ServiceOptions = {
  log: Log
  data_dir: string
  engine: EmbeddedClickHouse | undefined
  roles: readonly ProcessRole[]
  port: Port | undefined
}

function createService(io: Io, options: ServiceOptions): Service {
  const { log, data_dir, engine, roles, port } = options
  let { environment } = io
  const sockets = mkdtempSync(join(tmpdir(), 'vigil-'))
  let numbers = 0
  let fail = (_error: Error) => {}
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  const startOne = (role: ProcessRole): Child => {
    const program = [process.argv[1] ?? '', SERVE_PROCESS] as const
    numbers += 1
    const socket = join(sockets, String(numbers))
    const child = startChild({ program, environment, role, socket, start: { data_dir } })
    child.channel.answer('engine', () => engine?.address())
    child.channel.on('suspect engine', () => engine?.suspect())
    child.channel.answer('all metrics', metrics.render)
    metrics.watch(child)
    connectSiblings(child, supervisor.children)
    return child
  }
  const supervisor = createSupervisor({
    roles,
    startChild: startOne,
    port,
    log,
    onChange: sendPlaces,
    onGivenUp: fail,
  })
  const metrics = createMergedMetrics({
    own: createMetrics().snapshot,
    children: supervisor.children,
  })
  return {
    supervisor,
    render: metrics.render,
    failed,
    removeSockets: () => rmSync(sockets, { recursive: true, force: true }),
    restart: () => {
      try {
        environment = readEnvironment(io.working_folder)
      } catch (error) {
        log.error(
          { err: error },
          'the settings could not be read; the previous ones stay in effect',
        )
      }
      void supervisor.restart()
    },
  }
}

/** Every process learns where the others take work. */
function sendPlaces(children: (Child | undefined)[]): void {
  const sockets = children.map((child) => child?.socket ?? null)
  for (const [own, child] of children.entries()) {
    const places: Places = { sockets, own }
    child?.channel.send('places', places)
  }
}

/** Resolves when all processes are ready and what they serve was printed. */
async function startAll(
  io: Io,
  options: SuperviseOptions & {
    stores: Stores
    url: string | undefined
    admin_url: string | undefined
  },
  { supervisor }: Service,
): Promise<void> {
  const { role, json, stores, url, admin_url } = options
  const reports = (await supervisor.start()) as ProcessReport[]
  const first_run = await setUp(io, stores)
  const trial_emulator = reports.find((report) => report.trial_emulator)?.trial_emulator
  const { data_dir } = stores
  printReady(io, { role, url, admin_url, data_dir, trial_emulator, first_run }, json)
}

function urlOf(port: Port | undefined): string | undefined {
  if (!port) return undefined
  const { address, port: number } = port.address
  return `http://${isIPv6(address) ? `[${address}]` : address}:${number}/v1`
}

async function open(config: Config): Promise<Port> {
  try {
    return await openPort(config)
  } catch (error) {
    throw notListening(error, config)
  }
}

const createEngine = (
  { clickhouse_url, clickhouse_memory_mb, clickhouse_threads }: Config,
  data_dir: string,
  log: Log,
): EmbeddedClickHouse | undefined =>
  clickhouse_url === undefined
    ? createEmbeddedClickHouse({
        data_dir,
        log,
        memory_mb: clickhouse_memory_mb,
        threads: clickhouse_threads,
      })
    : undefined

const connectionsOf = ({ postgres_pool_size }: Config, processes: number): number =>
  Math.max(CONNECTIONS_MIN, (processes + 1) * postgres_pool_size + SPARE_CONNECTIONS)
