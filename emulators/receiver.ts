/**
 * An HTTPS receiver of webhooks: it verifies signatures, accepts every delivery once, records what it
 * receives, and fails as its scenario demands. A `POST` to any path is a delivery; `PUT /control`
 * replaces the scenario and `GET /received` returns the deliveries.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createAuthority, type Identity, issueCertificate } from './certificate.ts'
import { headersOf, readBody } from './http-message.ts'
import { listen } from './listen.ts'
import { sendFault } from './receiver-faults.ts'
import { type Behavior, type ReceiverScenario, readReceiverScenario } from './receiver-scenario.ts'
import { checkSignature, type SignatureState } from './receiver-signature.ts'
import { createTimers, type Timers } from './timers.ts'

export { example, type ReceiverScenario, readReceiverScenario } from './receiver-scenario.ts'

export type Received = {
  readonly received_at: string
  /** Path and query, as sent. */
  readonly path: string
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `X-Service-Event`. */
  readonly event: string | null
  /** `X-Service-Delivery`. */
  readonly delivery: string | null
  readonly signature: SignatureState
  /** An earlier attempt was answered with a 2xx on this path: a receiver must not act on it again. */
  readonly is_duplicate: boolean
  /** Status of the answer; null when a fault replaced it. */
  readonly status: number | null
}

export type Receiver = {
  /** `https://127.0.0.1:8443`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** The certificate authority in PEM. */
  readonly ca: string
  /** The last `received_max` requests, oldest first. */
  readonly received: Received[]
  /** Path and delivery id, separated by a space → number of 2xx answers, for all deliveries. */
  readonly accepted: ReadonlyMap<string, number>
  /** Returns the number of open connections. */
  readonly connections: () => number
  setScenario: (scenario: ReceiverScenario) => void
  /** Deletes the recorded requests and their counts. */
  clear: () => void
  close: () => Promise<void>
}

export type ReceiverOptions = {
  readonly port?: number
  readonly host?: string
  readonly scenario?: ReceiverScenario
  /** Default: a new authority. */
  readonly authority?: Identity
  /** Host names and addresses in the certificate. */
  readonly names?: readonly string[]
  /** Date of issue of the certificate; default now. */
  readonly issued_at?: Date
  /** Number of requests that are recorded; default 1,000. */
  readonly received_max?: number
  /** Answer to a request for which the scenario sets none; default 200 with the result of the verification. */
  readonly answer?: (body: string) => { status: number; body: string }
}

const NAMES = ['localhost', 'receiver.test', '*.receiver.test', '127.0.0.1', '::1']
const RECEIVED_MAX = 1_000
const TOLERANCE_S = 300
const MAX_BODY_BYTES = 10_485_760

/** Starts the receiver. Port 0 takes a free one. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const host = options.host ?? '127.0.0.1'
  const authority = options.authority ?? createAuthority()
  const names = options.names ?? [...new Set([...NAMES, host])]
  const timers = createTimers()
  const core = createCore(options, authority.cert, timers)
  const server = createServer(
    issueCertificate(authority, names, options.issued_at),
    (incoming, response) => {
      core.serve(incoming, response).catch(() => response.destroy())
    },
  )
  // A client that rejects the certificate must not stop the server.
  server.on('tlsClientError', () => undefined)
  let connections = 0
  server.on('secureConnection', (socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  const { port, address } = await listen(server, { port: options.port ?? 0, host })
  return {
    url: `https://${address}`,
    port,
    ca: authority.cert,
    received: core.received,
    accepted: core.accepted,
    connections: () => connections,
    setScenario: core.setScenario,
    clear: core.clear,
    close: () =>
      new Promise((resolve) => {
        timers.clear()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The receiver without its server: it records deliveries and answers them. */
function createCore(options: ReceiverOptions, ca: string, timers: Timers) {
  let scenario = readReceiverScenario(options.scenario ?? {})
  const received: Received[] = []
  const accepted = new Map<string, number>()
  const attempts = new Map<string, number>()
  const receivedMax = options.received_max ?? RECEIVED_MAX

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

  const recordDelivery = (incoming: IncomingMessage, body: Buffer) => {
    const path = (incoming.url ?? '/').split('?')[0] ?? '/'
    const paths = scenario.paths ?? {}
    const scripted: Behavior = (Object.hasOwn(paths, path) ? paths[path] : undefined) ?? {}
    const headers = headersOf(incoming)
    const signature = checkSignature({
      header: headers['x-service-signature'],
      body,
      secrets: scripted.secrets ?? scenario.secrets ?? [],
      tolerance_s: scenario.tolerance_s ?? TOLERANCE_S,
      now: new Date(),
    })
    const delivery = headers['x-service-delivery'] ?? null
    const key = `${path} ${delivery}`
    const isOver = count(attempts, key) > (scripted.times ?? Number.POSITIVE_INFINITY)
    // Only requests without such an answer are signed.
    const isRefused = !options.answer && !['valid', 'unchecked'].includes(signature)
    const behavior = isOver || isRefused ? {} : scripted
    const usual = options.answer?.(body.toString('utf8'))
    const status = isRefused ? 401 : (behavior.status ?? usual?.status ?? 200)
    const is_duplicate = accepted.has(key)
    const isFaulty = behavior.fault !== undefined
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
    if (received.length > receivedMax) received.shift()
    return { record, behavior, status, usual: usual?.body }
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(incoming, MAX_BODY_BYTES)
    if (incoming.method !== 'POST') {
      control(incoming, body, response)
      return
    }
    const { record, behavior, status, usual } = recordDelivery(incoming, body)
    const answer = () => {
      if (behavior.fault !== undefined) {
        sendFault(behavior.fault, response, timers)
        return
      }
      const { signature, is_duplicate } = record
      response.writeHead(status, { 'content-type': 'application/json', ...behavior.headers })
      response.end(behavior.body ?? usual ?? JSON.stringify({ signature, is_duplicate }))
    }
    if (behavior.latency_ms === undefined) answer()
    else timers.later(behavior.latency_ms, answer)
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
            'Send deliveries by POST to any path, or use GET or DELETE /received, GET or PUT /control, or GET /ca.pem',
        })
    }
  }

  return { serve, received, accepted, setScenario, clear }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body, null, 2)}\n`)
}
