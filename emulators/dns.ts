/**
 * A DNS server for tests and trials: UDP and TCP on one port, answers and faults from a scenario.
 * It speaks for the names it is given and for nothing else; it never asks anybody.
 */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { answerQuery, findEntry, typeName } from './dns-answer.ts'
import { decodeQuery, encodeReply, type Query } from './dns-message.ts'
import { type DnsScenario, readDnsScenario } from './dns-scenario.ts'

export { type DnsScenario, example, readDnsScenario } from './dns-scenario.ts'

type DnsRequest = {
  readonly transport: 'udp' | 'tcp'
  /** Lower case. */
  readonly name: string
  /** `MX`, or the number of a type that the emulator does not know. */
  readonly type: string
}

export type DnsEmulator = {
  /** `127.0.0.1:5353`, as a resolver's `servers` wants it. */
  readonly address: string
  readonly port: number
  /** What was asked so far, oldest first; the last thousand. */
  readonly requests: DnsRequest[]
  /** Replaces the scenario; sequences start again. */
  setScenario: (scenario: DnsScenario) => void
  close: () => Promise<void>
}

type Transport = DnsRequest['transport']
type Answer = (message: Buffer, transport: Transport, send: (bytes: Buffer) => void) => void

const MAX_UDP_BYTES = 512
const MAX_REQUESTS = 1_000
const PORT_ATTEMPTS = 10

/** Port 0 takes a free one. */
export async function startDns(options: {
  port?: number
  host?: string
  scenario: DnsScenario
}): Promise<DnsEmulator> {
  const host = options.host ?? '127.0.0.1'
  const core = createCore(options.scenario)
  const { tcp, udp, port } = await listen(options.port ?? 0, host)
  const connections = new Set<Socket>()
  udp.on('message', (message: Buffer, from: RemoteInfo) => {
    core.answer(message, 'udp', (bytes) => udp.send(bytes, from.port, from.address))
  })
  tcp.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    serveTcp(socket, core.answer)
  })
  return {
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    port,
    requests: core.requests,
    setScenario: core.setScenario,
    async close() {
      core.stop()
      for (const socket of connections) socket.destroy()
      await Promise.all([
        new Promise<void>((resolve) => {
          udp.close(() => resolve())
        }),
        new Promise<void>((resolve) => {
          tcp.close(() => resolve())
        }),
      ])
    },
  }
}

/** The server without its sockets: bytes in, bytes out, sooner or later or never. */
function createCore(initial: DnsScenario) {
  let scenario = readDnsScenario(initial)
  const turns = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  const requests: DnsRequest[] = []

  const note = (query: Query, transport: Transport): { name: string; type: string } => {
    if (query.question === undefined) return { name: '', type: '' }
    const name = query.question.name.toLowerCase()
    const type = typeName(query.question.type) ?? String(query.question.type)
    requests.push({ transport, name, type })
    if (requests.length > MAX_REQUESTS) requests.shift()
    return { name, type }
  }

  const answer: Answer = (message, transport, send) => {
    const query = decodeQuery(message)
    if (query === undefined) return
    const { name, type } = note(query, transport)
    const entry = findEntry(scenario, name)
    const spared = entry?.fault_types?.includes(type) === false
    const fault = spared ? undefined : (entry?.fault ?? scenario.fault)
    if (fault === 'timeout') return
    const failed = fault === 'servfail' || fault === 'refused'
    const used: string[] = []
    const turn = (owner: string, asked: string): number => {
      const key = `${owner} ${asked}`
      used.push(key)
      return turns.get(key) ?? 0
    }
    const reply = failed ? { code: fault } : answerQuery(scenario, query, turn)
    const whole = encodeReply(query, reply, false)
    const cut = transport === 'udp' && (fault === 'truncated' || whole.length > MAX_UDP_BYTES)
    // A client that is sent on to TCP asks the same thing again; that is one turn.
    if (!cut) for (const key of used) turns.set(key, (turns.get(key) ?? 0) + 1)
    const bytes = cut ? encodeReply(query, reply, true) : whole
    const latencyMs = entry?.latency_ms ?? scenario.latency_ms ?? 0
    if (latencyMs === 0) {
      send(bytes)
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      send(bytes)
    }, latencyMs)
    timers.add(timer)
  }

  return {
    answer,
    requests,
    setScenario: (next: DnsScenario) => {
      scenario = readDnsScenario(next)
      turns.clear()
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Messages over TCP carry their length in front (RFC 1035 section 4.2.2). */
function serveTcp(socket: Socket, answer: Answer): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0)
      const message = pending.subarray(2, end)
      pending = pending.subarray(end)
      answer(message, 'tcp', (bytes) => {
        const length = Buffer.from([bytes.length >> 8, bytes.length & 0xff])
        if (socket.writable) socket.write(Buffer.concat([length, bytes]))
      })
    }
  })
}

/** A free UDP port need not be free for TCP, hence the attempts. */
async function listen(
  port: number,
  host: string,
): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = createServer()
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    try {
      tcp.listen(port, host)
      await once(tcp, 'listening')
      const address = tcp.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      udp.bind(taken, host)
      await once(udp, 'listening')
      return { tcp, udp, port: taken }
    } catch (error) {
      tcp.close()
      udp.close()
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}
