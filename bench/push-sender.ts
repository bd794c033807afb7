/**
 * The limit of the push benchmark, in a process of its own: requests to FCM that are ready in memory, sent
 * by a bare client of node:http2; and the same notifications by the sender of the service, which tells
 * what its connections cost.
 */
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import type { ServiceAccount } from '../emulators/google-oauth.ts'
import { buildFcmBody } from '../src/modules/push/payloads/fcm.ts'
import { createFcmSender } from '../src/modules/push/providers/fcm.ts'
import type { AndroidMessage } from '../src/modules/push/providers/port.ts'
import { createLog } from '../src/platform/log.ts'
import { cpuSecondsSince } from './loop.ts'
import { exampleMessage } from './push-message.ts'
import { serveJobs } from './worker.ts'

export type PushSenderJob =
  | {
      step: 'prepare'
      url: string
      token_url: string
      ca: string
      account: ServiceAccount
      access_token: string
      package_name: string
      tokens: string[]
    }
  /** `raw` has so many connections; `sender` sends so many at a time, over as many connections. */
  | { step: 'raw' | 'sender'; connections: number; in_flight: number }

export type PushSenderResult = { sent: number; per_second: number; cpu_seconds: number }

type Bed = Extract<PushSenderJob, { step: 'prepare' }>
type Send = (index: number) => Promise<void>

const STREAMS_PER_CONNECTION = 100
const DEADLINE_MS = 60_000

export async function servePushSender(): Promise<void> {
  let bed: Bed | undefined
  let messages: AndroidMessage[] = []
  let bodies: string[] = []
  await serveJobs<PushSenderJob, PushSenderResult>(async (job) => {
    if (job.step === 'prepare') {
      bed = job
      const { package_name, tokens } = job
      messages = tokens.map((token) => ({ ...exampleMessage(), token, package_name }))
      bodies = messages.map(bodyOf)
      return { sent: 0, per_second: 0, cpu_seconds: 0 }
    }
    if (!bed) throw new Error('nothing was prepared')
    const { step, connections, in_flight } = job
    if (step === 'raw') return await sendRaw(bed, bodies, connections)
    return await sendBySender(bed, messages, { connections, in_flight })
  })
}

function bodyOf(message: AndroidMessage): string {
  const built = buildFcmBody(message)
  if (!built.ok) throw new Error(built.fault.message)
  return JSON.stringify(built.value)
}

async function sendRaw(bed: Bed, bodies: string[], connections: number): Promise<PushSenderResult> {
  const { url, ca, account, access_token } = bed
  const sessions = Array.from({ length: connections }, () => connect(url, { ca }))
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')))
  const headers = {
    ':method': 'POST',
    ':path': `/v1/projects/${account.project_id}/messages:send`,
    authorization: `Bearer ${access_token}`,
    'content-type': 'application/json',
  }
  const places = sessions.flatMap((session) =>
    Array.from({ length: STREAMS_PER_CONNECTION }, () => session),
  )
  const sends = places.map(
    (session): Send =>
      (index) =>
        post(session, headers, bodies[index] ?? ''),
  )
  const result = await sendAll(bodies.length, sends)
  for (const session of sessions) session.close()
  return result
}

/** Rejects for anything but a 200. */
const post = (
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const stream = session.request(headers)
    let status: number | undefined
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', (answer) => {
      status = answer[':status']
    })
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('error', reject)
    stream.on('close', () => {
      if (status === 200 && text.startsWith('{"name":')) resolve()
      else reject(new Error(`the provider answered ${status}: ${text}`))
    })
    stream.end(body)
  })

async function sendBySender(
  bed: Bed,
  messages: AndroidMessage[],
  { connections, in_flight }: { connections: number; in_flight: number },
): Promise<PushSenderResult> {
  const { url, token_url, ca, account } = bed
  const sender = createFcmSender({
    url,
    token_url,
    ca,
    sessions_max: connections,
    deadline_ms: DEADLINE_MS,
    log: createLog('warn'),
    now: () => new Date(),
  })
  const { signal } = new AbortController()
  const send: Send = async (index) => {
    const message = messages[index]
    if (!message) return
    const result = await sender.send(message, account, { signal })
    if (result.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`)
  }
  try {
    return await sendAll(messages.length, Array<Send>(in_flight).fill(send))
  } finally {
    await sender.close(DEADLINE_MS)
  }
}

/** Each of `sends` takes the next one as soon as its last is answered. */
async function sendAll(count: number, sends: Send[]): Promise<PushSenderResult> {
  let next = 0
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await Promise.all(
    sends.map(async (send) => {
      while (next < count) {
        const index = next
        next += 1
        await send(index)
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  return { sent: count, per_second: count / seconds, cpu_seconds: cpuSecondsSince(cpu) }
}
