/**
 * Endpoints of an organisation and the receiver behind them, which outlives whoever sends: what came
 * there is the testimony that the database is held against.
 */
import { join } from 'node:path'
import { keepAuthority } from '../../emulators/certificate.ts'
import { type Received, type ReceiverScenario, startReceiver } from '../../emulators/receiver.ts'
import { EVENT_TYPES, type EventType } from '../../src/modules/events/index.ts'
import type { Member } from './reviewer.ts'

export type Hooks = {
  /** What the service needs to reach the receiver. */
  env: Record<string, string>
  subscribe(url: string, member: Member): Promise<Hook[]>
  received: readonly Received[]
  close(): Promise<void>
}

export type Hook = { id: string; path: string; events: readonly EventType[] }

/** What each path wants, and how it behaves. */
const WISHES: { path: string; events: readonly EventType[]; behaviour: Behaviour }[] = [
  { path: '/all', events: EVENT_TYPES, behaviour: {} },
  { path: '/checks', events: ['email.check.completed'], behaviour: {} },
  // The first attempt of each event fails.
  { path: '/moody', events: ['order.fraud.detected'], behaviour: { status: 503, times: 1 } },
]
type Behaviour = { status?: number; times?: number }

/** Everything is kept. */
const KEEP = 10_000_000
const TIMEOUT_MS = 15_000

/** @param folder in which its certificate authority is kept */
export async function startHooks(folder: string): Promise<Hooks> {
  const authority = keepAuthority(join(folder, 'receiver'))
  const receiver = await startReceiver({ authority, keep: KEEP })
  return {
    env: {
      VIGIL_WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`,
      NODE_EXTRA_CA_CERTS: authority.file,
    },
    subscribe: async (url, member) => {
      const created = await Promise.all(
        WISHES.map(async ({ behaviour, ...wish }) => {
          const hook = await create(url, member, { ...wish, url: receiver.url + wish.path })
          return { ...wish, ...hook, behaviour }
        }),
      )
      const paths: ReceiverScenario['paths'] = {}
      for (const { path, secret, behaviour } of created) {
        paths[path] = { ...behaviour, secrets: [secret] }
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
  wish: { url: string; events: readonly EventType[] },
): Promise<{ id: string; secret: string }> {
  const answer = await fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ org_id, url: wish.url, events: wish.events }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`no endpoint: ${answer.status} ${text}`)
  const { content } = JSON.parse(text) as { content: { id: string; secret: string } }
  return { id: content.id, secret: content.secret }
}
