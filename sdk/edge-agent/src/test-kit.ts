/** For the tests: time that passes when told, and a stand-in for the service that plays its contract. */
import { gunzipSync } from 'node:zlib'
import type { Timers } from './types.ts'

export type FakeTime = {
  now: () => number
  /** Somebody sets the clock; timers do not mind. */
  setClock: (to: number) => void
  timers: Timers
  /** Runs what is due, in order, and after each waits until `isBusy` is over. */
  pass: (ms: number, isBusy: () => boolean) => Promise<void>
}

/** Of the event loop, until what follows on an answer has been done. */
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
export type Asked = { path: string; key: string | null; body: string }
/** `lost` is stored, but the answer does not arrive. */
export type Reply = number | 'away' | 'lost' | Response

export type StandIn = {
  fetch: typeof fetch
  asked: Asked[]
  /** What has been stored, after identical bodies within 15 minutes were recognised. */
  stored: SentEntry[]
  duplicates: number
  replyWith: (reply: (asked: Asked) => Reply) => void
  busy: () => boolean
}

const RECOGNISED_MS = 15 * 60_000

export function createStandIn(now: () => number): StandIn {
  const seen = new Map<string, number>()
  let reply: (asked: Asked) => Reply = () => 200
  let busy = 0
  const standIn: StandIn = {
    asked: [],
    stored: [],
    duplicates: 0,
    replyWith: (next) => {
      reply = next
    },
    busy: () => busy > 0,
    fetch: async (input, init) => {
      busy += 1
      try {
        // As a server it answers later than at once.
        await new Promise((done) => setImmediate(done))
        const asked = read(input as string, init)
        standIn.asked.push(asked)
        const told = reply(asked)
        if (told === 'away') throw new TypeError('fetch failed')
        if (told instanceof Response) return told
        if (told === 200 || told === 'lost') store(asked)
        if (told === 'lost') throw new TypeError('socket hang up')
        return answer(told, asked)
      } finally {
        busy -= 1
      }
    },
  }
  const store = ({ path, body }: Asked): void => {
    if (path !== '/v1/edge/logs') return
    const before = seen.get(body)
    if (before !== undefined && now() - before < RECOGNISED_MS) {
      standIn.duplicates += 1
      return
    }
    seen.set(body, now())
    standIn.stored.push(...entriesIn(body))
  }
  return standIn
}

const read = (url: string, init: RequestInit | undefined): Asked => ({
  path: new URL(url).pathname,
  key: new Headers(init?.headers).get('X-API-Key'),
  body: textIn(init?.body),
})

const textIn = (body: unknown): string => {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? gunzipSync(body).toString() : ''
}

function answer(status: number, { body }: Asked): Response {
  const received = body.includes('"logs"') ? entriesIn(body).length : 0
  return Response.json(
    { success: status < 400, message: 'told', content: { received, processed: received } },
    { status },
  )
}

export const entriesIn = (body: string): SentEntry[] =>
  (JSON.parse(body) as { logs: SentEntry[] }).logs

/** `message 3`, `message 4` … */
export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `message ${from + index}`)
