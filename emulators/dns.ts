/**
 * A DNS server for tests and trials: UDP and TCP on one port, answers and faults from a scenario. It
 * is authoritative for the names of its scenario and never queries another server.
 */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { answerQuery, findEntry, nameIn } from './dns-answer.ts'
import { decodeQuery, encodeReply, type Query } from './dns-message.ts'
import { type DnsScenario, readDnsScenario } from './dns-scenario.ts'
import { addressOf, listen } from './listen.ts'
import { createTimers } from './timers.ts'

export { type DnsScenario, example, readDnsScenario } from './dns-scenario.ts'

type DnsRequest = {
  readonly transport: 'udp' | 'tcp'
  /** In lower case. */
  readonly name: string
  /** `MX`, or `UNKNOWN_65` for a type without a name. */
  readonly type: string
}

export type DnsEmulator = {
  /** `127.0.0.1:5353`, the form in which resolvers take servers. */
  readonly address: string
  readonly port: number
  /** The last thousand queries, oldest first. */
  readonly requests: DnsRequest[]
  /** Replaces the scenario and restarts its sequences. */
  setScenario: (scenario: DnsScenario) => void
  close: () => Promise<void>
}

type Transport = DnsRequest['transport']
type Answer = (message: Buffer, transport: Transport, send: (bytes: Buffer) => void) => void

const MAX_UDP_BYTES = 512
const MAX_REQUESTS = 1_000
const PORT_ATTEMPTS = 10

/** Starts the server. Port 0 takes a free one. */
export async function startDns(options: {
  port?: number
  host?: string
  scenario: DnsScenario
}): Promise<DnsEmulator> {
  const host = options.host ?? '127.0.0.1'
  const core = createCore(options.scenario)
  const { tcp, udp, port } = await listenOnBoth(options.port ?? 0, host)
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
    address: addressOf(host, port),
    port,
    requests: core.requests,
    setScenario: core.setScenario,
    async close() {
      core.stop()
      for (const socket of connections) socket.destroy()
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
}

/** The server without its sockets: takes the bytes of a message and sends those of its answer. */
function createCore(initial: DnsScenario) {
  let scenario = readDnsScenario(initial)
  const turns = new Map<string, number>()
  const timers = createTimers()
  const requests: DnsRequest[] = []

  const record = ({ question }: Query, transport: Transport): { name: string; type: string } => {
    if (question === undefined) return { name: '', type: '' }
    const request = { transport, name: nameIn(question), type: question.type }
    requests.push(request)
    if (requests.length > MAX_REQUESTS) requests.shift()
    return request
  }

  const answer: Answer = (message, transport, send) => {
    const query = decodeQuery(message)
    if (query === undefined) return
    const { name, type } = record(query, transport)
    const entry = findEntry(scenario, name)
    const isExempt = entry?.fault_types?.includes(type) === false
    const fault = isExempt ? undefined : (entry?.fault ?? scenario.fault)
    if (fault === 'timeout') return
    const isFailed = fault === 'servfail' || fault === 'refused'
    const usedTurns: string[] = []
    const turn = (owner: string, queryType: string): number => {
      const key = `${owner} ${queryType}`
      usedTurns.push(key)
      return turns.get(key) ?? 0
    }
    const reply = isFailed ? { code: fault } : answerQuery(scenario, query, turn)
    const whole = encodeReply(query, reply, false)
    const isTruncated =
      transport === 'udp' && (fault === 'truncated' || whole.length > MAX_UDP_BYTES)
    // A client repeats a truncated query over TCP; the two queries are one turn of a sequence.
    if (!isTruncated) for (const key of usedTurns) turns.set(key, (turns.get(key) ?? 0) + 1)
    const bytes = isTruncated ? encodeReply(query, reply, true) : whole
    const latencyMs = entry?.latency_ms ?? scenario.latency_ms ?? 0
    if (latencyMs === 0) send(bytes)
    else timers.later(latencyMs, () => send(bytes))
  }

  return {
    answer,
    requests,
    setScenario: (next: DnsScenario) => {
      scenario = readDnsScenario(next)
      turns.clear()
    },
    stop: timers.clear,
  }
}

/** Messages over TCP are preceded by their length (RFC 1035 section 4.2.2). */
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

/** Retries on another port, because a port that is free for TCP can be taken for UDP. */
async function listenOnBoth(
  port: number,
  host: string,
): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = createServer()
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    try {
      const bound = await listen(tcp, { port, host })
      udp.bind(bound.port, host)
      await once(udp, 'listening')
      return { tcp, udp, port: bound.port }
    } catch (error) {
      tcp.close()
      udp.close()
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}
