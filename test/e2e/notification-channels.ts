/**
 * Channels of notifications, and the receiver and the mail server behind them, which survive the kills of the
 * test. Every channel is notified of everything.
 */
import { join } from 'node:path'
import { ensureAuthority } from '../../emulators/certificate.ts'
import { type Receiver, type ReceiverScenario, startReceiver } from '../../emulators/receiver.ts'
import { type SmtpEmulator, startSmtp } from '../../emulators/smtp.ts'
import type { Member } from './reviewer.ts'

/** `name` is the path of the receiver or the address of the recipient. */
export type CrashChannel = {
  id: string
  kind: 'webhook' | 'email'
  name: string
  /** Time that the receiver takes to answer. */
  latency_ms: number
}

export type NotificationReceivers = {
  /** Environment variables with which the service reaches the receivers. */
  env: Record<string, string>
  /** Creates the channels and the route to all of them. */
  setUp(url: string, member: Member): Promise<CrashChannel[]>
  webhooks: Receiver['received']
  mails: SmtpEmulator['received']
  close(): Promise<void>
}

const WEBHOOKS = ['/hook-0', '/hook-1', '/hook-2', '/hook-3', '/hook-4', '/hook-5']
const MAILBOXES = ['desk@example.com', 'night@example.com']
/** The slower a channel answers, the more kills hit it between the answer and the record of it. */
const LATENCY_STEP_MS = 200
const RECEIVED_MAX = 1_000_000
/** No message waits for the limit of its channel. */
const PER_HOUR_MAX = 1000
const TIMEOUT_MS = 15_000

/** @param folder where the certificate authority of the receiver is stored */
export async function startNotificationReceivers(folder: string): Promise<NotificationReceivers> {
  const authority = ensureAuthority(join(folder, 'receiver'))
  const receiver = await startReceiver({ authority, received_max: RECEIVED_MAX })
  const smtp = await startSmtp({ received_max: RECEIVED_MAX })
  return {
    env: {
      VIGIL_WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`,
      NODE_EXTRA_CA_CERTS: authority.file,
      VIGIL_SMTP_URL: smtp.url,
      VIGIL_SMTP_FROM: 'Vigil <vigil@example.com>',
    },
    setUp: async (url, member) => {
      const set = <Content>(method: 'POST' | 'PUT', path: string, body: object) =>
        call<Content>({ url, member, method, path, body })
      const paths: ReceiverScenario['paths'] = {}
      const channels: CrashChannel[] = []
      for (const [index, name] of WEBHOOKS.entries()) {
        const target = { kind: 'webhook', name, url: receiver.url + name }
        const body = { ...target, per_hour_max: PER_HOUR_MAX }
        const { id, secret } = await set<{ id: string; secret: string }>('POST', 'channels', body)
        const latency_ms = index * LATENCY_STEP_MS
        paths[name] = { secrets: [secret], latency_ms }
        channels.push({ id, kind: 'webhook', name, latency_ms })
      }
      for (const name of MAILBOXES) {
        const body = { kind: 'email', name, to: [name], per_hour_max: PER_HOUR_MAX }
        const { id } = await set<{ id: string }>('POST', 'channels', body)
        channels.push({ id, kind: 'email', name, latency_ms: 0 })
      }
      receiver.setScenario({ paths })
      const channel_ids = channels.map(({ id }) => id)
      await set('PUT', 'routes', { channel_ids, min_severity: 'notice' })
      return channels
    },
    webhooks: receiver.received,
    mails: smtp.received,
    close: async () => {
      await receiver.close()
      await smtp.close()
    },
  }
}

type Call = { url: string; member: Member; method: string; path: string; body: object }

async function call<Content>({ url, member, method, path, body }: Call): Promise<Content> {
  const { org_id, token } = member
  const answer = await fetch(`${url.replace(/v1$/, 'console/api')}/notifications/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ org_id, ...body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  return (JSON.parse(text) as { content: Content }).content
}
