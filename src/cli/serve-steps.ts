/** Steps of a start that one process and a supervisor of several have in common. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type FirstRun, setUpFirstOrganization } from '../app/first-run.ts'
import { type Admin, openAdmin, type Parts } from '../app/index.ts'
import { openStores, type Stores, type StoresOptions } from '../app/stores.ts'
import type { Config } from '../config.ts'
import { isEngineInstalled } from '../platform/clickhouse/embedded/installed.ts'
import { hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { systemClock } from '../platform/clock.ts'
import type { ReadinessProbe } from '../platform/postgres/write-probe.ts'
import { ANALYTICS_ADVICE } from './analytics-advice.ts'
import { judgeRuntime } from './doctor-findings.ts'
import { writeCredentials } from './first-start.ts'
import type { Io, Options } from './io.ts'
import { listenFault } from './options.ts'
import type { StopSignal } from './stop-signal.ts'
import { findTrialUrl } from './trial-emulator.ts'

export type ServeOptions = Options & { role: 'all' | 'api' | 'worker' }

export function adviseRuntime({ stderr }: Io): void {
  const { detail, advice } = judgeRuntime(process.versions.node, systemClock.now())
  if (advice !== undefined) stderr(`Node.js ${detail}. ${advice}.`)
}

/** A service of fraud checks alone needs no analytics engine, so its absence does not stop the start. */
export function adviseAnalytics({ stderr }: Io, { clickhouse_url }: Config): void {
  if (clickhouse_url !== undefined || isEngineInstalled()) return
  stderr(`The embedded analytics engine is not installed. ${ANALYTICS_ADVICE}.`)
}

/** @returns undefined if it failed after a signal to stop */
export async function openForService(
  stop: StopSignal,
  options: Omit<StoresOptions, 'migrates' | 'waits' | 'signal'>,
): Promise<Stores | undefined> {
  try {
    return await openStores({ ...options, migrates: true, waits: true, signal: stop.signal })
  } catch (error) {
    // Ctrl-C also reaches an embedded server that is starting, which then fails as expected.
    if (stop.isRequested()) return undefined
    throw error
  }
}

/** Comes after every step that can fail, because the generated secrets are shown only once. */
export async function setUp(io: Io, stores: Stores): Promise<FirstRun | undefined> {
  return await setUpFirstOrganization(stores, (first) => {
    if (io.is_terminal !== true) writeCredentials(stores.data_dir, first)
  })
}

/** An embedded engine without data is not started, so that unused logs cost no memory. */
export function startAnalytics({ analytics, data_dir }: Stores, { clickhouse_url }: Config): void {
  if (clickhouse_url !== undefined || hasEmbeddedData(data_dir)) analytics.start()
}

/** Starts the trial emulator when device management is connected to it. */
export async function trialUrlIn(
  dataDir: string,
  { devices: { connection } }: Parts,
): Promise<string | undefined> {
  const target = await connection.resolve().catch(() => undefined)
  return target && target.api_url === findTrialUrl(dataDir) ? target.api_url : undefined
}

export async function openAdminPort(
  options: Parameters<typeof openAdmin>[0],
): Promise<Admin | undefined> {
  try {
    return await openAdmin(options)
  } catch (error) {
    const { host, admin_port } = options.config
    const port = Number(admin_port)
    const hint = 'set VIGIL_ADMIN_PORT'
    throw listenFault(error, { host, port, hint: `Stop it, or ${hint}`, otherwise: hint })
  }
}

/** Load balancers send no further requests to a service that is stopping. */
export const readyUntil =
  (stop: AbortSignal, readiness: ReadinessProbe): ReadinessProbe =>
  async () =>
    stop.aborted ? 'stopping' : await readiness()

/**
 * Serves on for a time after the request to stop, in which clients and load balancers turn to other
 * nodes. A terminal has no load balancer.
 */
export async function drain(
  { drain_seconds }: Pick<Config, 'drain_seconds'>,
  { is_terminal }: Io,
  part: () => void,
): Promise<void> {
  part()
  if (is_terminal !== true) await sleep(drain_seconds * 1000)
}

export function notListening(error: unknown, at: { host: string; port: number }): unknown {
  const hint = 'set VIGIL_HOST and VIGIL_PORT'
  return listenFault(error, { ...at, hint: `Stop it, or ${hint}`, otherwise: hint })
}
