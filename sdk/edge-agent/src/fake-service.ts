/** For tests: a fake clock, and a fake service that implements the API of edge logs. */
import { gunzipSync } from 'node:zlib'
import type { Timers } from './types.ts'

export type FakeTime = {
  now: () => number
  /** Sets the time of day, which does not affect timers. */
  setClock: (to: number) => void
  timers: Timers
  /** Runs the timers that are due, in order, and waits after each until `isBusy` returns false. */
  pass: (ms: number, isBusy: () => boolean) => Promise<void>
}

/** Number of turns of the event loop in which the agent processes an answer. */
const TURNS = 5

export function createFakeTime(start: number): FakeTime {
  let now = 0
  let offset = start
  const waiting = new Set<{ at: number; run: () => void }>()
  const settle = async (isBusy: () => boolean): Promise<void> => {
    do for (let turn = 0; turn < TURNS; turn += 1) await new Promise((done) => setImmediate(done))
    while (isBusy())
  }
  return {
    now: () => now + offset,
    setClock: (to) => {
      offset = to - now
    },
    timers: {
      set: (run, ms) => {
        const timer = { at: now + ms, run }
        waiting.add(timer)
        return timer
      },
      clear: (timer) => void waiting.delete(timer as { at: number; run: () => void }),
    },
    pass: async (ms, isBusy) => {
      const until = now + ms
      for (;;) {
        const [next] = [...waiting].sort((a, b) => a.at - b.at)
        if (!next || next.at > until) break
        waiting.delete(next)
        now = Math.max(now, next.at)
        next.run()
        await settle(isBusy)
      }
      now = until
      await settle(isBusy)
    },
  }
}

export type SentEntry = { device_id: string; level: string; message: string; timestamp: string }
export type SentRequest = { path: string; key: string | null; body: string }
/** With `lost`, entries are stored but the answer does not arrive. */
export type Reply = number | 'unreachable' | 'lost' | Response

export type FakeService = {
  fetch: typeof fetch
  requests: SentRequest[]
  /** The stored entries, without those of identical bodies within 15 minutes. */
  stored: SentEntry[]
  duplicates: number
  replyWith: (reply: (request: SentRequest) => Reply) => void
  busy: () => boolean
}

const DUPLICATE_MS = 15 * 60_000

export function createFakeService(now: () => number): FakeService {
  const seen = new Map<string, number>()
  let reply: (request: SentRequest) => Reply = () => 200
  let busy = 0
  const service: FakeService = {
    requests: [],
    stored: [],
    duplicates: 0,
    replyWith: (next) => {
      reply = next
    },
    busy: () => busy > 0,
    fetch: async (input, init) => {
      busy += 1
      try {
        // A server never answers in the same turn of the event loop.
        await new Promise((done) => setImmediate(done))
        const request = read(input as string, init)
        service.requests.push(request)
        const scripted = reply(request)
        if (scripted === 'unreachable') throw new TypeError('fetch failed')
        if (scripted instanceof Response) return scripted
        if (scripted === 200 || scripted === 'lost') store(request)
        if (scripted === 'lost') throw new TypeError('socket hang up')
        return answer(scripted, request)
      } finally {
        busy -= 1
      }
    },
  }
  const store = ({ path, body }: SentRequest): void => {
    if (path !== '/v1/edge/logs') return
    const before = seen.get(body)
    if (before !== undefined && now() - before < DUPLICATE_MS) {
      service.duplicates += 1
      return
    }
    seen.set(body, now())
    service.stored.push(...entriesIn(body))
  }
  return service
}

const read = (url: string, init: RequestInit | undefined): SentRequest => ({
  path: new URL(url).pathname,
  key: new Headers(init?.headers).get('X-API-Key'),
  body: textIn(init?.body),
})

const textIn = (body: unknown): string => {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? gunzipSync(body).toString() : ''
}

function answer(status: number, { body }: SentRequest): Response {
  const received = body.includes('"logs"') ? entriesIn(body).length : 0
  return Response.json(
    { success: status < 400, message: 'scripted', content: { received, processed: received } },
    { status },
  )
}

export const entriesIn = (body: string): SentEntry[] =>
  (JSON.parse(body) as { logs: SentEntry[] }).logs

/** Returns `message 3`, `message 4` and so on. */
export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `message ${from + index}`)
