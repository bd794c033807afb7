/**
 * A receiver of webhooks over HTTPS: it verifies signatures, takes every delivery once, keeps what
 * came, and is as much trouble as its scenario says. `POST` to any path is a delivery; it is
 * steered by `PUT /control` and looked into by `GET /received`.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createAuthority, type Identity, issueCertificate } from './certificate.ts'
import { misbehave } from './receiver-faults.ts'
import { type Behaviour, type ReceiverScenario, readReceiverScenario } from './receiver-scenario.ts'
import { checkSignature, type SignatureState } from './receiver-signature.ts'
import { createTimers } from './timers.ts'

export { example, type ReceiverScenario, readReceiverScenario } from './receiver-scenario.ts'

export type Received = {
  readonly received_at: string
  /** With query, as sent. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `X-Service-Event`. */
  readonly event: string | null
  /** `X-Service-Delivery`. */
  readonly delivery: string | null
  readonly signature: SignatureState
  /** It was answered with a 2xx before on this path: a receiver must not act on it again. */
  readonly is_duplicate: boolean
  /** What was answered; null when a fault came first. */
  readonly status: number | null
}

export type Receiver = {
  /** `https://127.0.0.1:8443`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** Its certificate authority in PEM. */
  readonly ca: string
  /** Oldest first; the last `keep`. */
  readonly received: Received[]
  /** Path and delivery id, a space between → how often it was answered with a 2xx. All of them. */
  readonly accepted: ReadonlyMap<string, number>
  /** Connections that are open. */
  readonly connections: () => number
  setScenario: (scenario: ReceiverScenario) => void
  /** Forgets what came. */
  clear: () => void
  close: () => Promise<void>
}

export type ReceiverOptions = {
  readonly port?: number
  readonly host?: string
  readonly scenario?: ReceiverScenario
  /** Default: a new one. */
  readonly authority?: Identity
  /** Host names and addresses in the certificate. */
  readonly names?: readonly string[]
  /** The certificate is made as if it were this time. */
  readonly issued_at?: Date
  /** Requests that are kept; default a thousand. */
  readonly keep?: number
}

const NAMES = ['localhost', 'receiver.test', '*.receiver.test', '127.0.0.1', '::1']
const KEEP = 1_000
const TOLERANCE_S = 300
const MAX_BODY_BYTES = 10_485_760

/** Port 0 takes a free one. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const host = options.host ?? '127.0.0.1'
  const authority = options.authority ?? createAuthority()
  const names = options.names ?? [...new Set([...NAMES, host])]
  const core = createCore(options, authority.cert)
  const { later, clear } = createTimers()
  const server = createServer(
    issueCertificate(authority, names, options.issued_at),
    (incoming, response) => {
      core.serve(incoming, response, later).catch(() => response.destroy())
    },
  )
  // A client that does not trust the certificate is the client's business.
  server.on('tlsClientError', () => undefined)
  let connections = 0
  server.on('secureConnection', (socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    ca: authority.cert,
    received: core.received,
    accepted: core.accepted,
    connections: () => connections,
    setScenario: core.setScenario,
    clear: core.clear,
    close: () =>
      new Promise((resolve) => {
        clear()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Later = (delayMs: number, work: () => void) => void

function createCore(options: ReceiverOptions, ca: string) {
  let scenario = readReceiverScenario(options.scenario ?? {})
  const received: Received[] = []
  const accepted = new Map<string, number>()
  const attempts = new Map<string, number>()
  const keep = options.keep ?? KEEP

  const setScenario = (next: ReceiverScenario) => {
    scenario = readReceiverScenario(next)
    attempts.clear()
  }
  const clear = () => {
    received.length = 0
    accepted.clear()
    attempts.clear()
  }
  const count = (counts: Map<string, number>, key: string): number => {
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
  }

  const take = (incoming: IncomingMessage, body: Buffer) => {
    const path = (incoming.url ?? '/').split('?')[0] ?? '/'
    const listed = scenario.paths ?? {}
    const behaviour: Behaviour = (Object.hasOwn(listed, path) ? listed[path] : undefined) ?? {}
    const headers = headersOf(incoming)
    const signature = checkSignature({
      header: headers['x-service-signature'],
      body,
      secrets: behaviour.secrets ?? scenario.secrets ?? [],
      tolerance_s: scenario.tolerance_s ?? TOLERANCE_S,
      now: new Date(),
    })
    const delivery = headers['x-service-delivery'] ?? null
    const key = `${path} ${delivery}`
    const isOver = count(attempts, key) > (behaviour.times ?? Number.POSITIVE_INFINITY)
    const reaction = isOver ? {} : behaviour
    const isRefused = !['valid', 'unchecked'].includes(signature)
    const status = isRefused ? 401 : (reaction.status ?? 200)
    const is_duplicate = accepted.has(key)
    const isFaulty = !isRefused && reaction.fault !== undefined
    if (!isFaulty && status < 300 && delivery !== null) count(accepted, key)
    const record: Received = {
      received_at: new Date().toISOString(),
      path: incoming.url ?? '/',
      headers,
      body: body.toString('utf8'),
      event: headers['x-service-event'] ?? null,
      delivery,
      signature,
      is_duplicate,
      status: isFaulty ? null : status,
    }
    received.push(record)
    if (received.length > keep) received.shift()
    return { record, reaction: isRefused ? {} : reaction, status }
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse, later: Later) => {
    const body = await readBody(incoming)
    if (incoming.method !== 'POST') {
      control(incoming, body, response)
      return
    }
    const { record, reaction, status } = take(incoming, body)
    const { fault } = reaction
    const answer = () => {
      if (fault !== undefined) {
        misbehave(fault, response, later)
        return
      }
      const { signature, is_duplicate } = record
      response.writeHead(status, { 'content-type': 'application/json', ...reaction.headers })
      response.end(reaction.body ?? JSON.stringify({ signature, is_duplicate }))
    }
    if (reaction.latency_ms === undefined) answer()
    else later(reaction.latency_ms, answer)
  }

  const control = (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => {
    switch (`${incoming.method} ${incoming.url}`) {
      case 'GET /received':
        return sendJson(response, 200, { accepted: accepted.size, received })
      case 'DELETE /received':
        clear()
        return sendJson(response, 200, { accepted: 0, received })
      case 'GET /control':
        return sendJson(response, 200, scenario)
      case 'PUT /control':
        try {
          setScenario(JSON.parse(body.toString('utf8')) as ReceiverScenario)
          return sendJson(response, 200, scenario)
        } catch (error) {
          return sendJson(response, 400, {
            message: error instanceof Error ? error.message : String(error),
          })
        }
      case 'GET /ca.pem':
        response.writeHead(200, { 'content-type': 'application/x-pem-file' })
        response.end(ca)
        return undefined
      default:
        return sendJson(response, 404, {
          message:
            'POST anywhere is a delivery; there are GET and DELETE /received, GET and PUT /control, GET /ca.pem',
        })
    }
  }

  return { serve, received, accepted, setScenario, clear }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body, null, 2)}\n`)
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('request body too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}
