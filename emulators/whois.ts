/**
 * A WHOIS server (RFC 3912): one line in, scripted text out, connection closed.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Static, Type } from 'typebox'
import { Latency } from './scenario.ts'

/**
 * `hang`: accepts and stays silent. `drip`: a character now and then without end. `reset`: tears
 * the connection down.
 */
const WhoisFault = Type.Union([Type.Literal('hang'), Type.Literal('drip'), Type.Literal('reset')])

const WhoisAnswer = Type.Object(
  {
    /** Sent as it is; `{self}` becomes the address of this server, for `refer: {self}`. */
    text: Type.String(),
    /** Overrides the latency of all answers. */
    latency_ms: Latency,
    /** Overrides the fault of all answers. */
    fault: Type.Optional(WhoisFault),
  },
  { additionalProperties: false },
)

export const WhoisScenario = Type.Object(
  {
    /** Wait before every answer, in milliseconds. */
    latency_ms: Latency,
    /** What goes wrong with every answer. */
    fault: Type.Optional(WhoisFault),
    /** Query line (lower case, trimmed) → answer. */
    queries: Type.Record(Type.String(), WhoisAnswer),
    /** The answer to every other query; `No match.` when left out. */
    otherwise: Type.Optional(WhoisAnswer),
  },
  { additionalProperties: false },
)
export type WhoisScenario = Static<typeof WhoisScenario>

export type WhoisEmulator = {
  /** `127.0.0.1:4343`. */
  readonly address: string
  readonly port: number
  /** Query lines so far, oldest first; the last thousand. */
  readonly requests: string[]
  setScenario: (scenario: WhoisScenario) => void
  close: () => Promise<void>
}

const MAX_LINE_BYTES = 1_024
const MAX_REQUESTS = 1_000
const DRIP_INTERVAL_MS = 10

export async function startWhois(options: {
  port: number
  host: string
  scenario: WhoisScenario
}): Promise<WhoisEmulator> {
  let scenario = options.scenario
  const requests: string[] = []
  const connections = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const later = (delayMs: number, work: () => void) => {
    timers.add(setTimeout(work, delayMs))
  }
  // Clients may close their side after the question; the answer still has to reach them.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    onLine(socket, (line) => {
      requests.push(line)
      if (requests.length > MAX_REQUESTS) requests.shift()
      const answer = answerTo(scenario, line)
      const fault = answer.fault ?? scenario.fault
      const text = answer.text.replaceAll('{self}', address)
      later(answer.latency_ms ?? scenario.latency_ms ?? 0, () => send(socket, text, fault, later))
    })
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port
  const address = options.host.includes(':')
    ? `[${options.host}]:${port}`
    : `${options.host}:${port}`
  return {
    address,
    port,
    requests,
    setScenario: (next) => {
      scenario = next
    },
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer)
        server.close(() => resolve())
        for (const socket of connections) socket.destroy()
      }),
  }
}

function answerTo(scenario: WhoisScenario, line: string) {
  const scripted = Object.hasOwn(scenario.queries, line) ? scenario.queries[line] : undefined
  return scripted ?? scenario.otherwise ?? { text: 'No match.\r\n' }
}

function onLine(socket: Socket, serve: (line: string) => void): void {
  let pending = ''
  const read = (chunk: Buffer) => {
    pending += chunk.toString('latin1')
    const end = pending.indexOf('\n')
    if (end !== -1) {
      socket.off('data', read)
      socket.resume()
      serve(pending.slice(0, end).trim().toLowerCase())
    } else if (pending.length > MAX_LINE_BYTES) {
      socket.destroy()
    }
  }
  socket.on('data', read)
}

function send(
  socket: Socket,
  text: string,
  fault: Static<typeof WhoisFault> | undefined,
  later: (delayMs: number, work: () => void) => void,
): void {
  if (fault === 'hang' || socket.destroyed) return
  if (fault === 'reset') {
    socket.resetAndDestroy()
    return
  }
  if (fault === 'drip') {
    socket.write('.')
    later(DRIP_INTERVAL_MS, () => send(socket, text, fault, later))
    return
  }
  socket.end(text)
}
