import { once } from 'node:events'
import {
  constants,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../log.ts'
import type { Http2Outcome } from './outcome.ts'
import { createHttp2Pool } from './pool.ts'

const REQUESTS = 10_000
const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants

/** Mulberry32: the same faults in each run, provided that events occur in the same order. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Records the truth: the requests it processed, and the responses it spoiled or may have spoiled. */
async function serveChaos(random: () => number) {
  const processed: string[] = []
  const spoilt = new Set<string>()
  const faults = { refused: 0, reset: 0, goaway: 0, error_goaway: 0, broken: 0 }
  const server = createServer({ settings: { maxConcurrentStreams: 50 } })
  const sockets: Socket[] = []
  server.prependListener('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket)
  })
  server.on('session', (session: ServerHttp2Session) => {
    const socket = sockets.at(-1)
    const seen: string[] = []
    let lastProcessed = 0
    let hasLeft = false
    session.on('error', () => undefined)
    const spoilAll = () => seen.forEach((path) => spoilt.add(path))

    const process = (stream: ServerHttp2Stream, path: string) => {
      processed.push(path)
      seen.push(path)
      lastProcessed = Math.max(lastProcessed, stream.id ?? 0)
      if (random() < 0.02) {
        faults.reset += 1
        spoilt.add(path)
        stream.destroy(new Error('reset'))
        return
      }
      setTimeout(() => {
        if (stream.destroyed || stream.closed) return
        stream.respond({ ':status': 200 })
        stream.end(path)
      }, random() * 3)
    }
    const leave = (code: number) => {
      hasLeft = true
      session.goaway(code, lastProcessed)
    }
    session.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => undefined)
      if (hasLeft) return
      const chance = random()
      if (chance < 0.05) {
        faults.refused += 1
        stream.close(constants.NGHTTP2_REFUSED_STREAM)
      } else if (chance < 0.055 && lastProcessed > 0) {
        faults.goaway += 1
        leave(NGHTTP2_NO_ERROR)
      } else if (chance < 0.058 && lastProcessed > 0) {
        faults.error_goaway += 1
        spoilAll()
        leave(random() < 0.5 ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_INTERNAL_ERROR)
      } else if (chance < 0.06) {
        faults.broken += 1
        spoilAll()
        hasLeft = true
        socket?.destroy()
      } else {
        process(stream, String(headers[':path']))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { origin: `http://127.0.0.1:${port}`, processed, spoilt, faults, close }
}

const bodyOf = (outcome: Http2Outcome) => (outcome.kind === 'answered' ? outcome.body : undefined)

describe('ten thousand requests to a server that refuses, resets, breaks and sends GOAWAY', () => {
  it.each([1, 2])('have one true outcome each (%i connections)', async (sessions_max) => {
    const server = await serveChaos(createRandom(sessions_max))
    const pool = createHttp2Pool({
      origin: server.origin,
      streams_max: 100,
      sessions_max,
      waiting_max: REQUESTS,
      connect_timeout_ms: 10_000,
      ping_interval_ms: 60_000,
      ping_timeout_ms: 10_000,
      reconnect: { first_ms: 1, max_ms: 5 },
      log: createLog('silent'),
    })
    const paths = Array.from({ length: REQUESTS }, (_, i) => `/${i}`)
    const outcomes = await Promise.all(
      paths.map(async (path) => {
        const headers = { 'x-path': path }
        const request = { method: 'POST', path, headers, body: path, deadline_ms: 60_000 }
        return { path, outcome: await pool.request(request) }
      }),
    )
    expect(pool.inFlight()).toBe(0)
    await pool.close(1000)
    await server.close()

    const processed = new Set(server.processed)
    const ofKind = (kind: string) => outcomes.filter(({ outcome }) => outcome.kind === kind)
    const answered = ofKind('answered')
    expect(server.processed).toHaveLength(processed.size)
    expect(ofKind('not_sent').filter(({ path }) => processed.has(path))).toEqual([])
    const isLost = ({ path }: { path: string }) => processed.has(path) && !server.spoilt.has(path)
    expect(ofKind('ambiguous').filter(isLost)).toEqual([])
    expect(answered.filter(({ path }) => !processed.has(path))).toEqual([])
    const wrong = answered.filter(({ path, outcome }) => {
      const isCutOff = outcome.kind === 'answered' && !outcome.is_whole
      return isCutOff ? !server.spoilt.has(path) : bodyOf(outcome) !== path
    })
    expect(wrong).toEqual([])
    expect(answered.length).toBeGreaterThan(REQUESTS / 2)
    expect(ofKind('ambiguous').length).toBeGreaterThan(0)
    expect(Object.values(server.faults).every((count) => count > 0)).toBe(true)
  })
})
