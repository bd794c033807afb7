/**
 * The embedded analytics engine: chDB in a child process on loopback. Every Vigil process that uses
 * the data directory shares it; it stops with the last of them and is restarted when it dies. It
 * starts on first use, for which the caller waits; during a restart, requests fail immediately.
 */
import { closeSync, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdPipe, stopMark } from '../../embedded/watchdog.ts'
import { isRunning } from '../../is-running.ts'
import type { Log } from '../../log.ts'
import { reasonOf } from '../../operator-error.ts'
import type { ClickHouseAddress } from '../client.ts'
import { EngineUnavailable } from '../errors.ts'
import type { Limits } from './chdb-config.ts'
import { type Place, placeOf, preparePlace } from './place.ts'
import { probe, urlOf } from './probe.ts'
import { ensureRunning } from './start.ts'
import type { EngineState } from './state-file.ts'

type Address = Omit<ClickHouseAddress, 'database'>

export type EmbeddedClickHouse = {
  /** Starts the engine on first use and waits for it; throws EngineUnavailable during a restart. */
  address(): Promise<Address>
  /** Reports that the engine did not answer, so that it is checked immediately. */
  suspect(): void
  /** Releases the engine and, if no other process uses it, waits until it has stopped. */
  close(): Promise<void>
}

export type EmbeddedClickHouseOptions = Limits & { data_dir: string; log: Log }

const WATCH_INTERVAL_MS = 200
const RESTART_DELAY_MIN_MS = 200
const RESTART_DELAY_MAX_MS = 5000
/** A process that died sooner than this counts as one that failed to start. */
const STABLE_MS = 10_000
/** The first request waits this long for the start. */
const FIRST_WAIT_MS = 15_000
/** Within this time the watchdog of an engine without users has written its stop mark. */
const NOTICE_MS = 150
const STOP_DEADLINE_MS = 8000
const POLL_MS = 10
const REPORT_INTERVAL_MS = 60_000

export function createEmbeddedClickHouse(options: EmbeddedClickHouseOptions): EmbeddedClickHouse {
  const place = placeOf(options.data_dir)
  const closed = new AbortController()
  let supervision: Supervision | undefined
  const start = (): Supervision => {
    if (closed.signal.aborted) throw new EngineUnavailable('The analytics engine was closed')
    supervision ??= supervise(place, options, closed.signal)
    return supervision
  }
  return {
    address: async () => await start().address(),
    suspect: () => supervision?.checkNow(),
    close: async () => {
      if (closed.signal.aborted) return
      closed.abort()
      const pid = await supervision?.ended
      if (pid !== undefined) await untilStopped(place, pid)
    },
  }
}

type Supervision = {
  address(): Promise<Address>
  checkNow(): void
  /** Resolves after the release, with the PID of the last process. */
  ended: Promise<number | undefined>
}

function supervise(
  place: Place,
  { memory_mb, threads, log }: EmbeddedClickHouseOptions,
  signal: AbortSignal,
): Supervision {
  const pipe = holdPipe(place.pipe, preparePlace(place))
  const checks = createCheckTimer(signal)
  const reportFailure = createFailureReports(log)
  let running: EngineState | undefined
  let lastPid: number | undefined
  let problem = 'is starting'
  let firstEnded = () => {}
  const first = new Promise<void>((resolve) => {
    firstEnded = resolve
  })
  const isUp = () => running !== undefined && isRunning(running.pid)

  const ensure = async () => {
    try {
      running = await ensureRunning({ place, limits: { memory_mb, threads }, pipe, signal })
      lastPid = running?.pid ?? lastPid
    } catch (error) {
      problem = `did not start: ${reasonOf(error)}`
      reportFailure(error)
    }
    firstEnded()
  }
  const untilGone = async () => {
    while (!signal.aborted && isUp()) {
      const isSuspected = await checks.next()
      // The PID may belong to another process by now.
      if (isSuspected && running && (await probe(running)) === 'gone') break
    }
    if (signal.aborted || !running) return
    running = undefined
    problem = 'stopped unexpectedly and is restarting'
    log.warn('the embedded analytics engine stopped unexpectedly; restarting it')
  }
  const watch = async () => {
    let delay = 0
    while (!signal.aborted) {
      const start = performance.now()
      await ensure()
      await untilGone()
      delay = nextDelay(delay, performance.now() - start)
      if (delay > 0) await sleep(delay, undefined, { ref: false, signal }).catch(() => undefined)
    }
    closeSync(pipe)
    return lastPid
  }
  const ended = watch()
  return {
    address: async () => {
      if (!running) await within(first, FIRST_WAIT_MS, signal)
      if (!running || !isUp()) throw new EngineUnavailable(`The analytics engine ${problem}`)
      return { url: urlOf(running), username: running.username, password: running.password }
    },
    checkNow: checks.now,
    ended,
  }
}

/** Delay before the next start: none after a long run, otherwise longer each time. */
function nextDelay(delay: number, livedMs: number): number {
  if (livedMs > STABLE_MS) return 0
  return Math.min(Math.max(delay * 2, RESTART_DELAY_MIN_MS), RESTART_DELAY_MAX_MS)
}

/** Fires at an interval, or immediately on `now`; after the abort it does not wait any more. */
function createCheckTimer(signal: AbortSignal): { next(): Promise<boolean>; now: () => void } {
  let end = (_isSuspected: boolean) => {}
  signal.addEventListener('abort', () => end(false), { once: true })
  return {
    next: async () =>
      await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, WATCH_INTERVAL_MS, false).unref()
        end = (isSuspected) => {
          clearTimeout(timer)
          resolve(isSuspected)
        }
      }),
    now: () => end(true),
  }
}

/** Logs every new failure, but a repeated one only once per interval. */
function createFailureReports(log: Log): (error: unknown) => void {
  let last = { reason: '', at: 0 }
  return (error) => {
    const reason = reasonOf(error)
    const now = performance.now()
    if (reason === last.reason && now - last.at < REPORT_INTERVAL_MS) return
    last = { reason, at: now }
    log.error({ err: error }, 'the embedded analytics engine cannot be started; will retry')
  }
}

/** The timer keeps the process alive, because a command may have nothing else to wait for. */
async function within(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController()
  const either = AbortSignal.any([done.signal, signal])
  const late = sleep(ms, undefined, { signal: either }).catch(() => undefined)
  await Promise.race([work, late])
  done.abort()
}

async function untilStopped(place: Place, pid: number): Promise<void> {
  const start = performance.now()
  const isWorthWaiting = () => {
    const patience = existsSync(stopMark(place.pipe, pid)) ? STOP_DEADLINE_MS : NOTICE_MS
    return isRunning(pid) && performance.now() - start < patience
  }
  while (isWorthWaiting()) await sleep(POLL_MS)
}
