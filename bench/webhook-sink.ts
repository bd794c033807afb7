/**
 * The receiver of the webhooks benchmark, a process of its own: HTTPS with as little code as
 * possible between request and answer. It notes when each delivery came; on paths that begin with
 * `/hang` it answers nothing.
 */
import { once } from 'node:events'
import { createServer, type TLSSocket } from 'node:tls'
import type { Identity } from '../emulators/certificate.ts'
import { cpuSecondsSince } from './loop.ts'
import { serveJobs, startWorker, type Worker } from './worker.ts'

/** `X-Service-Delivery`, and when it came: milliseconds since 1970, with their fractions. */
export type Arrival = [delivery: string, at_ms: number]

export type SinkCount = {
  arrivals: Arrival[]
  /** Those in the counted time. */
  per_second: number
  cpu_seconds: number
  /** Opened since it began. */
  connections: number
  /** The first request, to see whether it is what it should be. */
  first: { head: string; body: string }
}

export type Sink = {
  /** Forgets what came. What comes before `warm_seconds` are over is not counted. */
  begin(window: Window): Promise<void>
  /** How many came since then. */
  arrived(): Promise<number>
  end(): Promise<SinkCount>
  stop(): Promise<void>
}

type Window = { warm_seconds: number; seconds: number }
type SinkJob =
  | { step: 'listen'; identity: Identity; ports: number }
  | ({ step: 'begin' } & Window)
  | { step: 'arrived' | 'end' }
type SinkResult = { ports: number[]; arrived: number; count: SinkCount }

const HEAD_END = '\r\n\r\n'
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok'
const LENGTH = /\r\ncontent-length: (\d+)/i
const DELIVERY = /\r\nx-service-delivery: (\S+)/i
const HANGING = 'POST /hang'

/** @param ports how many it listens on; each is another host to those who send */
export async function startSink(
  identity: Identity,
  ports: number,
): Promise<{ sink: Sink; ports: number[] }> {
  const worker: Worker<SinkJob, SinkResult> = startWorker('webhook-sink')
  const listening = await worker.run({ step: 'listen', identity, ports })
  const sink: Sink = {
    begin: async (window) => {
      await worker.run({ step: 'begin', ...window })
    },
    arrived: async () => (await worker.run({ step: 'arrived' })).arrived,
    end: async () => (await worker.run({ step: 'end' })).count,
    stop: worker.stop,
  }
  return { sink, ports: listening.ports }
}

export async function serveWebhookSink(): Promise<void> {
  let ports: number[] = []
  let arrivals: Arrival[] = []
  let first: SinkCount['first'] | undefined
  let window: Window & { begun: number } = { warm_seconds: 0, seconds: 1, begun: 0 }
  let cpu = process.cpuUsage()
  let connections = 0
  const onConnection = () => {
    connections += 1
  }
  const onRequest: OnRequest = (head, body, socket) => {
    if (head.startsWith(HANGING)) return
    arrivals.push([DELIVERY.exec(head)?.[1] ?? '', now()])
    first ??= { head, body }
    socket.write(ANSWER, 'latin1')
  }
  const count = (): SinkCount => ({
    arrivals,
    per_second: rateOf(arrivals, window),
    cpu_seconds: cpuSecondsSince(cpu),
    connections,
    first: first ?? { head: '', body: '' },
  })

  await serveJobs<SinkJob, SinkResult>(async (job) => {
    if (job.step === 'listen') {
      const listening = Array.from({ length: job.ports }, () =>
        listen(job.identity, { onConnection, onRequest }),
      )
      ports = await Promise.all(listening)
    }
    if (job.step === 'begin') {
      window = { ...job, begun: now() }
      arrivals = []
      first = undefined
      connections = 0
      cpu = process.cpuUsage()
    }
    const counted = job.step === 'end' ? count() : NOTHING
    return { ports, arrived: arrivals.length, count: counted }
  })
}

const NOTHING: SinkCount = {
  arrivals: [],
  per_second: 0,
  cpu_seconds: 0,
  connections: 0,
  first: { head: '', body: '' },
}

function rateOf(arrivals: Arrival[], { begun, warm_seconds, seconds }: Window & { begun: number }) {
  const from = begun + warm_seconds * 1000
  const until = from + seconds * 1000
  return arrivals.filter(([, at]) => at >= from && at < until).length / seconds
}

/** The clock of the whole machine, finer than `Date.now()`. */
const now = (): number => performance.timeOrigin + performance.now()

type OnRequest = (head: string, body: string, socket: TLSSocket) => void

type Listeners = { onConnection: () => void; onRequest: OnRequest }

async function listen(identity: Identity, { onConnection, onRequest }: Listeners): Promise<number> {
  const server = createServer(identity, (socket) => {
    onConnection()
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    readRequests(socket, onRequest)
  })
  // Whoever breaks off while connecting has nothing delivered.
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

/** Only for requests with a Content-Length. Characters are bytes (Latin-1). */
function readRequests(socket: TLSSocket, onRequest: OnRequest): void {
  let pending = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    pending = pending === '' ? String(chunk) : pending + String(chunk)
    for (;;) {
      const headEnd = pending.indexOf(HEAD_END)
      if (headEnd < 0) return
      const head = pending.slice(0, headEnd)
      const start = headEnd + HEAD_END.length
      const end = start + Number(LENGTH.exec(head)?.[1] ?? 0)
      if (pending.length < end) return
      const body = pending.slice(start, end)
      pending = pending.slice(end)
      onRequest(head, body, socket)
    }
  })
}
