/**
 * Long-lived HTTP/2 connections to one origin, shared by all who ask. As many requests are under way
 * as the server takes, the others wait in order; a server that takes leave, refuses, falls silent or
 * is away costs no request its outcome.
 */
import type { Log } from '../../log.ts'
import { type ConnectionsOptions, createConnections } from './connections.ts'
import type { CancelExchange } from './exchange.ts'
import { createFifo } from './fifo.ts'
import { type Http2Outcome, type Http2Request, type NotSentReason, notSent } from './outcome.ts'
import type { Http2Session } from './session.ts'
import { createStopSignals } from './stop-signals.ts'

export type Http2PoolOptions = {
  /** `https://api.example`, no slash at the end; with `http:` without TLS. */
  readonly origin: string
  /** The only authority that is trusted, in PEM; the usual ones when left out. */
  readonly ca?: string | undefined
  /** Per connection; the server's SETTINGS may allow fewer. */
  readonly streams_max: number
  /** On a new connection, until its first answer below 500. As many as it takes when left out. */
  readonly first_streams?: number
  /** Another connection is opened when all there are have as many streams as they take. Default 1. */
  readonly sessions_max?: number
  /** Requests beyond that are not taken. Default 10,000. */
  readonly waiting_max?: number
  readonly connect_timeout_ms: number
  readonly ping_interval_ms: number
  readonly ping_timeout_ms: number
  /** Default ten minutes. */
  readonly idle_timeout_ms?: number
  /** Pause after connections that were of no use, doubled each time. Default 100 ms to 5 s. */
  readonly reconnect?: { readonly first_ms: number; readonly most_ms: number }
  readonly log: Log
  /** From 0 up to, not including, 1. */
  readonly random?: () => number
}

export type Http2Pool = {
  /** Never rejects, and ends by the deadline. */
  request(request: Http2Request): Promise<Http2Outcome>
  /** Requests that were sent and have no outcome yet. */
  inFlight(): number
  /** Takes nothing more, gives back what waits, and ends what is under way after `drainMs`. */
  close(drainMs: number): Promise<void>
}

/** A request until its outcome. */
type Job = {
  readonly request: Http2Request
  readonly resolve: (outcome: Http2Outcome) => void
  timer: NodeJS.Timeout | undefined
  /** Undefined while it waits. */
  cancel: CancelExchange | undefined
  sendings: number
}

const WAITING_MAX = 10_000
const IDLE_TIMEOUT_MS = 600_000
const RECONNECT = { first_ms: 100, most_ms: 5000 }
/** What a server refused is sent again so often, since it says that it did nothing. */
const SENDINGS_MAX = 3

export function createHttp2Pool(options: Http2PoolOptions): Http2Pool {
  const { waiting_max = WAITING_MAX } = options
  const waiting = createFifo<Job>()
  const underWay = new Set<Job>()
  let closing: Promise<void> | undefined

  const pump = (): void => {
    while (waiting.size() > 0) {
      const session = connections.roomiest()
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
  const giveBack = (reason: NotSentReason): void => {
    for (let job = waiting.shift(); job; job = waiting.shift()) settle(job, notSent(reason))
  }
  const connections = createConnections(withDefaults(options), {
    onRoom: pump,
    onAway: () => giveBack('unreachable'),
  })

  const send = (job: Job, session: Http2Session): void => {
    job.sendings += 1
    underWay.add(job)
    try {
      job.cancel = session.send(job.request, (outcome) => {
        job.cancel = undefined
        underWay.delete(job)
        if (outcome !== 'refused') return settle(job, outcome)
        if (closing || job.sendings >= SENDINGS_MAX) return settle(job, notSent('refused'))
        waiting.unshift(job)
        pump()
      })
    } catch {
      underWay.delete(job)
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
    giveBack('closed')
    const timer = setTimeout(() => {
      for (const job of underWay) job.cancel?.('stopped')
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
    inFlight: () => underWay.size,
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

/** Node sends what is no header value, with whatever the other side makes of it. */
const isSendable = ({ path, headers }: Http2Request): boolean =>
  PATH.test(path) &&
  Object.keys(headers).every((name) => NAME.test(name) && VALUE.test(headers[name] ?? ''))
