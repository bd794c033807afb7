/**
 * The embedded analytics engine: chDB in a child process on loopback, shared by every Vigil process
 * that uses the data directory, stopped when the last of them is gone, and started again when it
 * dies. It starts when it is first asked for, and then does not keep anybody waiting: while it is
 * being started again, its address is not told.
 */
import { closeSync, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdPipe, stopMark } from '../../embedded/watchdog.ts'
import type { Log } from '../../log.ts'
import { reasonOf } from '../../operator-error.ts'
import type { ClickHouseAddress } from '../client.ts'
import { EngineAway } from '../errors.ts'
import type { Limits } from './chdb-config.ts'
import { type Place, placeOf, preparePlace } from './place.ts'
import { probe, urlOf } from './probe.ts'
import { ensureRunning } from './start.ts'
import { type EngineState, isRunning } from './state-file.ts'

export type EmbeddedClickHouse = {
  /** Starts the engine if nobody did, and waits for that; fails at once while it is started again. */
  address(): Promise<Omit<ClickHouseAddress, 'database'>>
  /** To be told when it did not answer, so that it is looked at now and not in a moment. */
  suspect(): void
  /** Lets go of it, and waits until it is gone when nobody else holds it. */
  close(): Promise<void>
}

export type EmbeddedClickHouseOptions = Limits & {
  data_dir: string
  log: Log
}

const WATCH_INTERVAL_MS = 200
const RESTART_DELAY_MIN_MS = 200
const RESTART_DELAY_MAX_MS = 5000
/** One that died sooner than this after its start counts as one that failed to start. */
const STABLE_MS = 10_000
/** The first request of all waits so long for the start. */
const FIRST_WAIT_MS = 15_000
/** In this time the watchdog of an engine without users has left its mark. */
const NOTICE_MS = 150
const STOP_DEADLINE_MS = 8000
const POLL_MS = 10
const COMPLAINT_INTERVAL_MS = 60_000

export function createEmbeddedClickHouse(options: EmbeddedClickHouseOptions): EmbeddedClickHouse {
  const place = placeOf(options.data_dir)
  const closed = new AbortController()
  let supervision: Supervision | undefined
  const start = (): Supervision => {
    if (closed.signal.aborted) throw new EngineAway('The analytics engine was closed')
    supervision ??= supervise(place, options, closed.signal)
    return supervision
  }
  return {
    address: async () => {
      const { url, username, password } = await start().address()
      return { url, username, password }
    },
    suspect: () => supervision?.look(),
    close: async () => {
      if (closed.signal.aborted) return
      closed.abort()
      const pid = await supervision?.ended
      if (pid !== undefined) await untilStopped(place, pid)
    },
  }
}

type Address = Omit<ClickHouseAddress, 'database'>

type Supervision = {
  address(): Promise<Address>
  look(): void
  /** When it was let go, with the number of the process that ran last. */
  ended: Promise<number | undefined>
}

function supervise(
  place: Place,
  { memory_mb, threads, log }: EmbeddedClickHouseOptions,
  signal: AbortSignal,
): Supervision {
  preparePlace(place)
  const pipe = holdPipe(place.pipe, place.account)
  const looks = createLooks(signal)
  const complain = createComplaints(log)
  let running: EngineState | undefined
  let lastPid: number | undefined
  let fault = 'is being started'
  let firstEnded = () => {}
  const first = new Promise<void>((resolve) => {
    firstEnded = resolve
  })
  const isThere = () => running !== undefined && isRunning(running.pid)

  const ensure = async () => {
    try {
      running = await ensureRunning({ place, limits: { memory_mb, threads }, pipe, signal })
      lastPid = running?.pid ?? lastPid
    } catch (error) {
      fault = `is not there: ${reasonOf(error)}`
      complain(error)
    }
    firstEnded()
  }
  const untilGone = async () => {
    while (!signal.aborted && isThere()) {
      const isSuspected = await looks.next()
      // Its number may have gone to another process.
      if (isSuspected && running && (await probe(running)) === 'away') break
    }
    if (signal.aborted || !running) return
    running = undefined
    fault = 'stopped unexpectedly and is being started again'
    log.warn('the embedded analytics engine stopped unexpectedly; starting it again')
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
      if (!running) await orSoon(first, FIRST_WAIT_MS, signal)
      if (!running || !isThere()) throw new EngineAway(`The analytics engine ${fault}`)
      return { url: urlOf(running), username: running.username, password: running.password }
    },
    look: looks.now,
    ended,
  }
}

/** Before the next attempt: at once after a long life, else longer each time. */
function nextDelay(delay: number, livedMs: number): number {
  if (livedMs > STABLE_MS) return 0
  return Math.min(Math.max(delay * 2, RESTART_DELAY_MIN_MS), RESTART_DELAY_MAX_MS)
}

/** Now and then, or at once when somebody says so; for good when it is over. */
function createLooks(signal: AbortSignal): { next(): Promise<boolean>; now: () => void } {
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

/** Always of something new; of the same again only now and then. */
function createComplaints(log: Log): (error: unknown) => void {
  let last = { reason: '', at: 0 }
  return (error) => {
    const reason = reasonOf(error)
    const now = performance.now()
    if (reason === last.reason && now - last.at < COMPLAINT_INTERVAL_MS) return
    last = { reason, at: now }
    log.error({ err: error }, 'the embedded analytics engine cannot be started; trying again')
  }
}

/** Keeps the process alive meanwhile: a command may have nothing else to do than to wait for this. */
async function orSoon(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
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
