/** `vigil serve`: runs the service until it receives a signal to stop. */
import { createHttp, createParts, type Http, openCore, startJobs } from '../app/index.ts'
import { type Config, isStartedByNpm, readConfig } from '../config.ts'
import { allowHeapToGrow } from '../platform/heap-growth.ts'
import type { App } from '../platform/http/app.ts'
import { createLog } from '../platform/log.ts'
import { type ReservedPort, reservePort } from '../platform/net/reserved-port.ts'
import { isOnThisMachine } from '../platform/net/this-machine.ts'
import {
  type ProcessRole,
  processCount,
  rolesOf,
  usableCores,
} from '../platform/processes/index.ts'
import { closeAll } from './close-all.ts'
import { enterDataDir } from './command.ts'
import type { Io } from './io.ts'
import { printReady } from './ready.ts'
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
  trialUrlIn,
} from './serve-steps.ts'
import { markService } from './service-mark.ts'
import { stopSignal } from './stop-signal.ts'
import { createTrialEmulator, isOffered, loadEmulator } from './trial-emulator.ts'

export async function serve(io: Io, { role, json }: ServeOptions): Promise<void> {
  const config = readConfig(io.environment)
  const roles = rolesIn(config, role)
  if (roles.length > 1) {
    await (await import('./supervise.ts')).supervise(io, {
      config,
      role,
      roles,
      json: json === true,
    })
    return
  }
  allowHeapToGrow()
  const log = createLog(config.log_level)
  const reserved = io.leaves_root === true && role !== 'worker' ? await reserve(config) : undefined
  const startAndroid = isOffered(config) ? await loadEmulator() : undefined
  const data_dir = await enterDataDir(io, config)
  const stop = stopSignal(isStartedByNpm(io.environment))
  adviseRuntime(io)
  adviseAnalytics(io, config)
  const stores = await openForService(stop, { config, log, data_dir, progress: io.stderr })
  if (!stores) return
  const closers: (() => Promise<void>)[] = [stores.close]
  try {
    if (stop.isRequested()) return
    const trial = startAndroid && createTrialEmulator({ ...stores, log, startAndroid })
    if (trial) closers.unshift(trial.close)
    const core = await openCore(stores, config, { trialUrl: trial?.url })
    closers.push(async () => await core.tracing?.close())
    const parts = await createParts(core)
    startAnalytics(stores, config)
    let url: string | undefined
    let http: Http | undefined
    const readiness = readyUntil(stop.signal, core.readiness)
    if (role !== 'worker') {
      http = await createHttp({ ...core, readiness }, parts)
      closers.unshift(http.close)
      reserved?.handTo(http.app.server)
      url = await listen(http.app, config)
    }
    const { metrics } = core
    const { cells } = stores
    const { render } = metrics
    const admin = await openAdminPort({ config, role, log, readiness, render, cells })
    if (admin) closers.unshift(admin.close)
    const firstRun = await setUp(io, stores)
    const trial_emulator = trial ? await trialUrlIn(stores.data_dir, parts) : undefined
    const admin_url = admin?.url
    printReady(
      io,
      { role, url, admin_url, data_dir, trial_emulator, first_run: firstRun },
      json === true,
    )
    if (role !== 'api') {
      const jobs = startJobs(core, parts)
      closers.unshift(() => jobs.stop())
    }
    const removeMark = markService(stores.data_dir, { role, url })
    closers.unshift(() => Promise.resolve(removeMark()))
    log.info({ role, url }, 'ready')
    await stop.requested
    log.info('stopping')
    if (http) await drain(config, io, http.part)
  } finally {
    await closeAll(closers, log)
  }
}

/**
 * Several processes, with a supervisor, or one. With separate commands for the roles, `auto` is one
 * process with the role `worker`.
 */
function rolesIn({ processes, database_url }: Config, role: ServeOptions['role']): ProcessRole[] {
  const setting = role === 'worker' && processes === 'auto' ? 1 : processes
  const has_database = isOnThisMachine(database_url)
  const count = processCount(setting, { cores: usableCores(), has_database })
  return role === 'all' ? rolesOf(count) : Array<ProcessRole>(count).fill(role)
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
