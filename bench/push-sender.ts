/**
 * The limit of the push benchmark, in a process of its own: the requests of a broadcast, prepared in memory,
 * sent by a bare client of node:http2 with all streams of its connections in use.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { buildFcmBody } from '../src/modules/push/payloads/fcm.ts'
import { runLoad } from './loads.ts'
import type { ProviderAddress } from './push-provider.ts'
import type { Run } from './rounds.ts'
import { serveJobs } from './worker.ts'

export type PushSenderJob =
  | ({ step: 'prepare'; ca: string; package_name: string; tokens: string[] } & ProviderAddress)
  | { step: 'send'; connections: number }

export const CONTENT = {
  title: 'Your order is on its way',
  body: 'The courier has left the warehouse and will be with you this afternoon.',
  data: { order_id: '10023-4471', kind: 'shipping' },
  deep_link: 'example://orders/10023-4471',
  priority: 'high' as const,
  ttl_seconds: 3600,
}

const STREAMS_PER_CONNECTION = 100
const SECONDS_MAX = 200

export async function servePushSender(): Promise<void> {
  let prepared: Extract<PushSenderJob, { step: 'prepare' }> | undefined
  let bodies: string[] = []
  await serveJobs<PushSenderJob, Run>(async (job) => {
    if (job.step === 'prepare') {
      prepared = job
      bodies = job.tokens.map((token) => bodyOf(token, job.package_name))
      return { units: 0, per_second: 0 }
    }
    if (!prepared) throw new Error('the first job has to be "prepare"')
    const { url, ca, account, access_token } = prepared
    const sessions = Array.from({ length: job.connections }, () => connect(url, { ca }))
    await Promise.all(sessions.map((session) => once(session, 'remoteSettings')))
    const headers = {
      ':method': 'POST',
      ':path': `/v1/projects/${account.project_id}/messages:send`,
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
    }
    let next = 0
    const callers = sessions.flatMap((session) =>
      Array.from({ length: STREAMS_PER_CONNECTION }, () => async () => {
        next += 1
        await post(session, headers, bodies[next - 1] ?? '')
      }),
    )
    const run = { warm_seconds: 0, seconds: SECONDS_MAX, count: bodies.length }
    const result = await runLoad(run, callers)
    for (const session of sessions) session.close()
    return result
  })
}

/** Builds the same body as the service does for a device. */
function bodyOf(token: string, package_name: string): string {
  const built = buildFcmBody({
    ...CONTENT,
    recipient_id: randomUUID(),
    message_id: randomUUID(),
    token,
    package_name,
  })
  if (!built.ok) throw new Error(built.fault.message)
  return JSON.stringify(built.value)
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
    stream.on('response', (response) => {
      status = response[':status']
    })
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('error', reject)
    stream.on('close', () => {
      if (status === 200 && text.startsWith('{"name":')) resolve()
      else reject(new Error(`the provider returned ${status}: ${text}`))
    })
    stream.end(body)
  })
