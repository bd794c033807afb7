/**
 * Webhook endpoints and the receiver behind them, which survives the kills of the test. The database is
 * compared with what arrived there.
 */
import { join } from 'node:path'
import { ensureAuthority } from '../../emulators/certificate.ts'
import { type Received, type ReceiverScenario, startReceiver } from '../../emulators/receiver.ts'
import { EVENT_TYPES, type EventType } from '../../src/modules/events/index.ts'
import type { Member } from './reviewer.ts'

export type WebhookReceiver = {
  /** Environment variables with which the service reaches the receiver. */
  env: Record<string, string>
  subscribe(url: string, member: Member): Promise<Hook[]>
  received: readonly Received[]
  close(): Promise<void>
}

export type Hook = { id: string; path: string; events: readonly EventType[] }

/** Subscription and behavior of each endpoint. */
const ENDPOINTS: { path: string; events: readonly EventType[]; behavior: Behavior }[] = [
  { path: '/all', events: EVENT_TYPES, behavior: {} },
  { path: '/checks', events: ['email.check.completed'], behavior: {} },
  // The first attempt of each event fails.
  { path: '/flaky', events: ['order.fraud.detected'], behavior: { status: 503, times: 1 } },
]
type Behavior = { status?: number; times?: number }

/** High enough that nothing is dropped. */
const RECEIVED_MAX = 10_000_000
const TIMEOUT_MS = 15_000

/** @param folder where its certificate authority is stored */
export async function startWebhookReceiver(folder: string): Promise<WebhookReceiver> {
  const authority = ensureAuthority(join(folder, 'receiver'))
  const receiver = await startReceiver({ authority, received_max: RECEIVED_MAX })
  return {
    env: {
      VIGIL_WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`,
      NODE_EXTRA_CA_CERTS: authority.file,
    },
    subscribe: async (url, member) => {
      const created = await Promise.all(
        ENDPOINTS.map(async ({ behavior, ...endpoint }) => {
          const target = { ...endpoint, url: receiver.url + endpoint.path }
          return { ...endpoint, ...(await create(url, member, target)), behavior }
        }),
      )
      const paths: ReceiverScenario['paths'] = {}
      for (const { path, secret, behavior } of created) {
        paths[path] = { ...behavior, secrets: [secret] }
      }
      receiver.setScenario({ paths })
      return created
    },
    received: receiver.received,
    close: receiver.close,
  }
}

async function create(
  url: string,
  { org_id, token }: Member,
  endpoint: { url: string; events: readonly EventType[] },
): Promise<{ id: string; secret: string }> {
  const answer = await fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ org_id, url: endpoint.url, events: endpoint.events }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await answer.text()
  if (answer.status !== 200)
    throw new Error(`creating an endpoint failed: ${answer.status} ${text}`)
  const { content } = JSON.parse(text) as { content: { id: string; secret: string } }
  return { id: content.id, secret: content.secret }
}
