/**
 * Long-lived HTTP/2 connections to one origin. Every request gets an outcome, even when the server
 * sends GOAWAY, refuses streams, stops responding or is unreachable.
 */
import { type ConnectionsOptions, createConnections } from './connections.ts'
import type { CancelExchange } from './exchange.ts'
import { createFifo } from './fifo.ts'
import { type Http2Outcome, type Http2Request, type NotSentReason, notSent } from './outcome.ts'
import type { Http2Session } from './session.ts'
import { createStopSignals } from './stop-signals.ts'

type Defaulted = 'first_streams' | 'sessions_max' | 'idle_timeout_ms' | 'reconnect' | 'random'

/** By default, the first limit of streams is `streams_max`, and there is one connection. */
export type Http2PoolOptions = Omit<ConnectionsOptions, Defaulted> &
  Partial<Pick<ConnectionsOptions, Defaulted>> & {
    /** Further requests are rejected as `busy`. */
    readonly waiting_max?: number
  }

export type Http2Pool = {
  /** Never rejects, and resolves by the deadline. */
  request(request: Http2Request): Promise<Http2Outcome>
  /** The number of requests that were sent and have no outcome yet. */
  inFlight(): number
  /** Accepts no more requests, returns the waiting ones, and stops those in flight after `drainMs`. */
  close(drainMs: number): Promise<void>
}

/** A request without an outcome yet. */
type Job = {
  readonly request: Http2Request
  readonly resolve: (outcome: Http2Outcome) => void
  timer: NodeJS.Timeout | undefined
  /** Undefined while the request waits. */
  cancel: CancelExchange | undefined
  sendings: number
}

const WAITING_MAX = 10_000
const IDLE_TIMEOUT_MS = 600_000
const RECONNECT = { first_ms: 100, max_ms: 5000 }
/** A refused request is sent up to this often, since the server did not process it. */
const SENDINGS_MAX = 3

export function createHttp2Pool(options: Http2PoolOptions): Http2Pool {
  const { waiting_max = WAITING_MAX } = options
  const waiting = createFifo<Job>()
  const inFlight = new Set<Job>()
  let closing: Promise<void> | undefined

  const pump = (): void => {
    while (waiting.size() > 0) {
      const session = connections.leastLoaded()
      if (!session) return connections.openIfUseful()
      const job = waiting.shift()
      if (job) send(job, session)
    }
  }
  const settle = (job: Job, outcome: Http2Outcome): void => {
    clearTimeout(job.timer)
    if (job.request.signal) signals.forget(job.request.signal, job)
    waiting.remove(job)
    job.resolve(outcome)
  }
  const stop = (job: Job, reason: 'timeout' | 'stopped'): void => {
    if (job.cancel) job.cancel(reason)
    else settle(job, notSent(reason))
  }
  const signals = createStopSignals<Job>((job) => stop(job, 'stopped'))
  const rejectWaiting = (reason: NotSentReason): void => {
    for (let job = waiting.shift(); job; job = waiting.shift()) settle(job, notSent(reason))
  }
  const connections = createConnections(withDefaults(options), {
    onCapacity: pump,
    onUnreachable: () => rejectWaiting('unreachable'),
  })

  const send = (job: Job, session: Http2Session): void => {
    job.sendings += 1
    inFlight.add(job)
    try {
      job.cancel = session.send(job.request, (outcome) => {
        job.cancel = undefined
        inFlight.delete(job)
        if (outcome !== 'refused') return settle(job, outcome)
        if (closing || job.sendings >= SENDINGS_MAX) return settle(job, notSent('refused'))
        waiting.unshift(job)
        pump()
      })
    } catch {
      inFlight.delete(job)
      settle(job, notSent('unsendable'))
    }
  }

  const take = (request: Http2Request): Promise<Http2Outcome> =>
    new Promise((resolve) => {
      const job: Job = { request, resolve, timer: undefined, cancel: undefined, sendings: 0 }
      job.timer = setTimeout(stop, request.deadline_ms, job, 'timeout')
      if (request.signal) signals.watch(request.signal, job)
      waiting.push(job)
      pump()
    })

  const close = async (drainMs: number): Promise<void> => {
    rejectWaiting('closed')
    const timer = setTimeout(() => {
      for (const job of inFlight) job.cancel?.('stopped')
      connections.destroy()
    }, drainMs)
    await connections.close()
    clearTimeout(timer)
  }

  return {
    request: (request) => {
      if (closing) return Promise.resolve(notSent('closed'))
      if (request.signal?.aborted === true) return Promise.resolve(notSent('stopped'))
      if (request.deadline_ms <= 0) return Promise.resolve(notSent('timeout'))
      if (!isSendable(request)) return Promise.resolve(notSent('unsendable'))
      if (waiting.size() >= waiting_max) return Promise.resolve(notSent('busy'))
      return take(request)
    },
    inFlight: () => inFlight.size,
    close: (drainMs) => {
      closing ??= close(drainMs)
      return closing
    },
  }
}

const withDefaults = (options: Http2PoolOptions): ConnectionsOptions => ({
  ...options,
  first_streams: options.first_streams ?? options.streams_max,
  sessions_max: options.sessions_max ?? 1,
  idle_timeout_ms: options.idle_timeout_ms ?? IDLE_TIMEOUT_MS,
  reconnect: options.reconnect ?? RECONNECT,
  random: options.random ?? Math.random,
})

const PATH = /^\/[\x21-\x7e]*$/
const NAME = /^[a-z0-9-]{1,100}$/
const VALUE = /^[\x20-\x7e]*$/

/** Node also sends invalid header values, which servers interpret in different ways. */
const isSendable = ({ path, headers }: Http2Request): boolean =>
  PATH.test(path) &&
  Object.keys(headers).every((name) => NAME.test(name) && VALUE.test(headers[name] ?? ''))
