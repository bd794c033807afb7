/** A WHOIS server (RFC 3912): it reads one line, answers with the scripted text and closes. */
import { createServer, type Socket } from 'node:net'
import { type Static, Type } from 'typebox'
import { listen } from './listen.ts'
import { Latency, object, oneOf } from './scenario.ts'
import { createTimers, type Timers } from './timers.ts'

/**
 * `hang` accepts the connection and stays silent, `drip` sends one character at a time without end,
 * `reset` resets the connection.
 */
const WhoisFault = oneOf('hang', 'drip', 'reset')

const WhoisAnswer = object({
  /** Sent unchanged, except that `{self}` becomes the address of this server. */
  text: Type.String(),
  latency_ms: Latency,
  fault: Type.Optional(WhoisFault),
})
type WhoisAnswer = Static<typeof WhoisAnswer>

export const WhoisScenario = object({
  latency_ms: Latency,
  fault: Type.Optional(WhoisFault),
  /** Query line, lower case and trimmed → answer. */
  queries: Type.Record(Type.String(), WhoisAnswer),
  /** The answer to every other query; default `No match.`. */
  otherwise: Type.Optional(WhoisAnswer),
})
export type WhoisScenario = Static<typeof WhoisScenario>

export type WhoisEmulator = {
  /** `127.0.0.1:4343`. */
  readonly address: string
  readonly port: number
  /** The last thousand query lines, oldest first. */
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
  const timers = createTimers()
  // Clients may close their side after the query, and the answer still has to reach them.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    onLine(socket, (line) => {
      requests.push(line)
      if (requests.length > MAX_REQUESTS) requests.shift()
      const scripted = answerTo(scenario, line)
      const answer = {
        text: scripted.text.replaceAll('{self}', address),
        fault: scripted.fault ?? scenario.fault,
      }
      const latencyMs = scripted.latency_ms ?? scenario.latency_ms ?? 0
      timers.later(latencyMs, () => send(socket, answer, timers))
    })
  })
  const { port, address } = await listen(server, options)
  return {
    address,
    port,
    requests,
    setScenario: (next) => {
      scenario = next
    },
    close: () =>
      new Promise((resolve) => {
        timers.clear()
        server.close(() => resolve())
        for (const socket of connections) socket.destroy()
      }),
  }
}

function answerTo(scenario: WhoisScenario, line: string): WhoisAnswer {
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

type Outgoing = { readonly text: string; readonly fault: WhoisAnswer['fault'] | undefined }

function send(socket: Socket, answer: Outgoing, timers: Timers): void {
  const { text, fault } = answer
  if (fault === 'hang' || socket.destroyed) return
  if (fault === 'reset') {
    socket.resetAndDestroy()
    return
  }
  if (fault === 'drip') {
    socket.write('.')
    timers.later(DRIP_INTERVAL_MS, () => send(socket, answer, timers))
    return
  }
  socket.end(text)
}
