/**
 * Keeps the processes of a service running: replaces one that ends, and on request replaces all of
 * them, one after another, without a moment in which none of them serves.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Port } from '../net/shared-port.ts'
import type { Child } from './child.ts'
import type { ProcessRole } from './count.ts'

export type Supervisor = {
  /**
   * Starts all processes.
   * @returns what each reports
   * @throws the error of the first that cannot be started
   */
  start(): Promise<unknown[]>
  /** Starts a new process in place of each; keeps the running ones if a new one does not start. */
  restart(): Promise<void>
  /** Has all processes close their connections after the next response, and starts no other process. */
  drain(): void
  stop(): Promise<void>
  /** All processes that run, including those that start or stop. */
  children(): Iterable<Child>
}

export type SupervisorOptions = {
  roles: readonly ProcessRole[]
  startChild: (role: ProcessRole) => Child
  /** Where requests arrive; undefined when no process serves requests. */
  port: Port | undefined
  log: Log
  /** Called when other processes serve requests than before, with one for each place. */
  onChange: (children: (Child | undefined)[]) => void
  /** Called when no process of a role runs and none can be started. */
  onGivenUp: (error: Error) => void
}

/** The place of a process, which several processes take one after another. */
type Place = { role: ProcessRole; child: Child | undefined; failures: number }

const RETRY_DELAY_MIN_MS = 100
const RETRY_DELAY_MAX_MS = 30_000
const FAILURES_MAX = 10
/** A process that ran for this long ended for a new reason. */
const STABLE_MS = 60_000

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { port, log } = options
  const places: Place[] = options.roles.map((role) => ({ role, child: undefined, failures: 0 }))
  const running = new Set<Child>()
  const stopping = new AbortController()
  const isStopping = () => stopping.signal.aborted
  const reportChange = () => {
    options.onChange(places.filter(({ role }) => role === 'api').map(({ child }) => child))
  }
  let restarting: Promise<void> | undefined
  let isRestartDue = false

  const launch = async (role: ProcessRole): Promise<{ child: Child; report: unknown }> => {
    const child = options.startChild(role)
    running.add(child)
    void child.ended.then(() => running.delete(child))
    try {
      return { child, report: await child.ready }
    } catch (error) {
      await child.stop(false)
      throw error
    }
  }

  /** Gives a place to a process that is ready. */
  const install = (place: Place, child: Child): void => {
    const since = performance.now()
    place.child = child
    if (child.role === 'api') port?.add(child)
    reportChange()
    void child.ended.then((how) => {
      port?.remove(child)
      if (isStopping() || place.child !== child) return
      place.child = undefined
      reportChange()
      if (performance.now() - since > STABLE_MS) place.failures = 0
      const { pid, role } = child
      log.error({ pid, role, ended: how }, 'a process ended unexpectedly; starting another')
      void refill(place)
    })
  }

  const refill = async (place: Place): Promise<void> => {
    while (!isStopping() && !place.child) {
      const delay = Math.min(RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS * 2 ** place.failures)
      place.failures += 1
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (isStopping() || place.child) return
      try {
        const { child } = await launch(place.role)
        if (isStopping() || place.child) void child.stop(false)
        else install(place, child)
        log.info({ pid: child.pid, role: place.role }, 'the process was replaced')
      } catch (error) {
        if (isStopping()) return
        log.error({ err: error, role: place.role }, 'a process could not be started; will retry')
        const isAlone = !places.some(({ role, child }) => role === place.role && child)
        if (place.failures >= FAILURES_MAX && isAlone) options.onGivenUp(givenUp(place, error))
      }
    }
  }

  const replaceEach = async (): Promise<void> => {
    for (const place of places) {
      const { child: old } = place
      // A process that ended is being replaced already.
      if (!old || isStopping()) continue
      const { child } = await launch(place.role)
      if (isStopping()) return
      const current = place.child
      install(place, child)
      if (!current) continue
      port?.remove(current)
      await current.stop(true)
    }
  }

  const restart = async (): Promise<void> => {
    log.info('restarting the processes one after another')
    try {
      await replaceEach()
      if (!isStopping()) log.info('all processes were restarted')
    } catch (error) {
      if (isStopping()) return
      log.error({ err: error }, 'a new process could not be started; the others keep running')
    }
  }

  return {
    start: async () => {
      const launched = await Promise.all(
        places.map(async (place) => {
          const { child, report } = await launch(place.role)
          install(place, child)
          return report
        }),
      )
      return launched
    },
    restart: async () => {
      isRestartDue = true
      restarting ??= (async () => {
        while (isRestartDue && !isStopping()) {
          isRestartDue = false
          await restart()
        }
      })().finally(() => {
        restarting = undefined
      })
      await restarting
    },
    drain: () => {
      stopping.abort()
      for (const child of running) child.channel.send('drain')
    },
    stop: async () => {
      stopping.abort()
      port?.close()
      await Promise.all([...running].map((child) => child.stop(false)))
      await restarting
    },
    children: () => running,
  }
}

const givenUp = ({ role, failures }: Place, cause: unknown): Error =>
  new Error(`No process with the role ${role} could be started in ${failures} attempts`, { cause })
