/**
 * Simulates backends that send broadcasts, messages to a few devices, and scheduled messages. Each request
 * has a different idempotency key, and the answers are recorded.
 */
import { anyOf } from './chance.ts'
import { startClients } from './load.ts'
import { pause } from './program.ts'
import { type PushSetup, USERS } from './push-setup.ts'

export type RequestedMessage = {
  body: object
  /** Subscriptions, or users. */
  to: 'all' | { subscription_ids: string[] } | { external_user_ids: string[] }
}

/** Requests and their answers, by idempotency key. */
export type PushRequests = {
  sent: Map<string, RequestedMessage>
  /** Ids of the messages in the answers; exactly one per key if repeated requests are idempotent. */
  answered: Map<string, Set<string>>
  /** Requests that were answered with a client error. */
  refused: string[]
}

export const newPushRequests = (): PushRequests => ({
  sent: new Map(),
  answered: new Map(),
  refused: [],
})

export type PushTargets = { urls: readonly string[]; key: string; setup: PushSetup }

const CLIENTS = 3
const PAUSE_MS = 25
const BROADCAST_EVERY_MS = 600
const SCHEDULE_EVERY_MS = 120
const AHEAD_MIN_MS = 300
const AHEAD_SPREAD_MS = 4000
const TIMEOUT_MS = 15_000
/** Share of answered requests that are repeated. */
const REPEATED_SHARE = 0.1
const RETRY_MS = 100

/** @param name distinguishes the keys of this load from those of other loads in the test */
export function startPushLoad(
  targets: PushTargets,
  requests: PushRequests,
  name: string,
): { stop(): Promise<void> } {
  const { application_id, healthy } = targets.setup
  let messages = 0
  const send = async (to: RequestedMessage['to'], more: object = {}): Promise<boolean> => {
    messages += 1
    const key = `${name}-${messages}`
    const target = to === 'all' ? { all: true } : to
    const content = { title: `Message ${key}`, body: 'It is on its way.', data: { key } }
    requests.sent.set(key, { to, body: { application_id, ...target, ...content, ...more } })
    return (await post(targets, requests, key)) !== 'lost'
  }
  const some = () => {
    const ids = [anyOf(healthy), anyOf(healthy), anyOf(healthy)]
    return { subscription_ids: ids.flatMap((id) => id ?? []) }
  }
  const loads = [
    startClients(1, async () => {
      const isAnswered = await send('all')
      await pause(BROADCAST_EVERY_MS)
      return isAnswered
    }),
    startClients(CLIENTS, async (_, number) => {
      await pause(PAUSE_MS)
      const user = `user-${Math.floor(Math.random() * USERS)}`
      return await send(number % 5 === 0 ? { external_user_ids: [user] } : some())
    }),
    startClients(1, async () => {
      await pause(SCHEDULE_EVERY_MS)
      const at_ms = Date.now() + AHEAD_MIN_MS + Math.random() * AHEAD_SPREAD_MS
      return await send(some(), { send_at: new Date(at_ms).toISOString() })
    }),
  ]
  return {
    stop: async () => {
      await Promise.all(loads.map((load) => load.stop()))
    },
  }
}

/** Repeats unanswered requests until they are answered, and some of the others, which must change nothing. */
export async function repeatRequests(targets: PushTargets, requests: PushRequests): Promise<void> {
  for (const key of requests.sent.keys()) {
    const isOpen = !requests.answered.has(key)
    if (!isOpen && Math.random() > REPEATED_SHARE) continue
    while ((await post(targets, requests, key)) === 'lost') await pause(RETRY_MS)
  }
}

async function post(
  { urls, key: apiKey }: PushTargets,
  requests: PushRequests,
  key: string,
): Promise<'done' | 'refused' | 'lost'> {
  try {
    const answer = await fetch(`${anyOf(urls)}/push-sdk/messages`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(requests.sent.get(key)?.body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    if (answer.status >= 500) return 'lost'
    if (answer.status !== 200) {
      requests.refused.push(`${key}: ${answer.status} ${text}`)
      return 'refused'
    }
    const { message_id } = (JSON.parse(text) as { content: { message_id: string } }).content
    requests.answered.set(key, (requests.answered.get(key) ?? new Set()).add(message_id))
    return 'done'
  } catch {
    return 'lost'
  }
}
