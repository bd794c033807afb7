/**
 * The receiver of the webhooks benchmark, in a separate process: HTTPS with as little code as possible between
 * request and response. It records the id of every delivery.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Identity } from '../emulators/certificate.ts'
import { serveJobs } from './worker.ts'

export type WebhookReceiverJob =
  /** Listens on this number of ports; to senders, every port is another host. */
  | { step: 'listen'; identity: Identity; ports: number }
  /** Clears the record. Deliveries during `warm_seconds` are recorded but not counted. */
  | { step: 'begin'; warm_seconds: number; seconds: number }
  | { step: 'count' }
  | { step: 'end' }

export type WebhookReceiverResult = {
  ports: number[]
  /** Number of deliveries since the last `begin`. */
  arrived: number
  /** Filled at the end. */
  record: Arrivals | undefined
}

export type Arrivals = {
  /** Values of `X-Service-Delivery`. */
  deliveries: string[]
  /** When each of them arrived, in ms since the epoch. */
  arrived_ms: number[]
  /** Rate in the counted time. */
  per_second: number
  /** Number of connections that were opened. */
  connections: number
  /** The first request, for the check of its signature. */
  first: { head: string; body: string }
}

type OnRequest = (head: string, body: string, socket: TLSSocket) => void

const HEAD_END = '\r\n\r\n'
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok'
const LENGTH = /\r\ncontent-length: (\d+)/i
const DELIVERY = /\r\nx-service-delivery: (\S+)/i

export async function serveWebhookReceiver(): Promise<void> {
  let ports: number[] = []
  let deliveries: string[] = []
  let arrived_ms: number[] = []
  let counted = 0
  let connections = 0
  let first: Arrivals['first'] = { head: '', body: '' }
  let window = { from: 0, until: 0 }
  const onConnection = () => void (connections += 1)
  const onRequest: OnRequest = (head, body, socket) => {
    const now = performance.now()
    if (now >= window.from && now < window.until) counted += 1
    if (deliveries.length === 0) first = { head, body }
    deliveries.push(DELIVERY.exec(head)?.[1] ?? '')
    arrived_ms.push(performance.timeOrigin + now)
    socket.write(RESPONSE, 'latin1')
  }
  await serveJobs<WebhookReceiverJob, WebhookReceiverResult>(async (job) => {
    if (job.step === 'listen') {
      const listening = Array.from({ length: job.ports }, () =>
        listen(job.identity, onConnection, onRequest),
      )
      ports = await Promise.all(listening)
    }
    if (job.step === 'begin') {
      const from = performance.now() + job.warm_seconds * 1000
      window = { from, until: from + job.seconds * 1000 }
      deliveries = []
      arrived_ms = []
      counted = 0
      connections = 0
    }
    const per_second = (counted * 1000) / (window.until - window.from)
    const record = { deliveries, arrived_ms, per_second, connections, first }
    const arrived = deliveries.length
    return { ports, arrived, record: job.step === 'end' ? record : undefined }
  })
}

async function listen(
  identity: Identity,
  onConnection: () => void,
  onRequest: OnRequest,
): Promise<number> {
  const server = createServer(identity, (socket) => {
    onConnection()
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    readRequests(socket, onRequest)
  })
  // A client that breaks off during the handshake delivers nothing.
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Reads requests that have a Content-Length. Characters are bytes (Latin-1). */
function readRequests(socket: TLSSocket, onRequest: OnRequest): void {
  let pending = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    pending += String(chunk)
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
