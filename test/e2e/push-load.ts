/**
 * Backends that send messages: to all, to a few at once, and to a few at a time to come. Each request has
 * a key of its own, and what it was answered goes into a ledger.
 */
import { anyOf } from './chance.ts'
import { startClients } from './load.ts'
import { pause } from './program.ts'
import { type PushSetup, USERS } from './push-setup.ts'

export type AskedMessage = {
  body: object
  /** Subscriptions, or users. */
  to: 'all' | { subscription_ids: string[] } | { external_user_ids: string[] }
}

/** By idempotency key. */
export type PushLedger = {
  asked: Map<string, AskedMessage>
  /** Ids of messages that were told: one each, if all is well. */
  told: Map<string, Set<string>>
  /** Answered that it was not done. */
  refused: string[]
}

export const newPushLedger = (): PushLedger => ({
  asked: new Map(),
  told: new Map(),
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
/** Of those that were answered, asked once more. */
const REPEATED_SHARE = 0.1
const RETRY_MS = 100

/** @param name distinguishes the keys of this load from all others of the test */
export function startPushLoad(
  targets: PushTargets,
  ledger: PushLedger,
  name: string,
): { stop(): Promise<void> } {
  const { application_id, healthy } = targets.setup
  let messages = 0
  const send = async (to: AskedMessage['to'], more: object = {}): Promise<boolean> => {
    messages += 1
    const key = `${name}-${messages}`
    const whom = to === 'all' ? { all: true } : to
    const content = { title: `Message ${key}`, body: 'It is on its way.', data: { key } }
    ledger.asked.set(key, { to, body: { application_id, ...whom, ...content, ...more } })
    return (await ask(targets, ledger, key)) !== 'lost'
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

/** All that was not answered, until it is; and some of the rest, which must not be done again. */
export async function askAgain(targets: PushTargets, ledger: PushLedger): Promise<void> {
  for (const key of ledger.asked.keys()) {
    const isOpen = !ledger.told.has(key)
    if (!isOpen && Math.random() > REPEATED_SHARE) continue
    while ((await ask(targets, ledger, key)) === 'lost') await pause(RETRY_MS)
  }
}

async function ask(
  { urls, key: apiKey }: PushTargets,
  ledger: PushLedger,
  key: string,
): Promise<'done' | 'refused' | 'lost'> {
  try {
    const answer = await fetch(`${anyOf(urls)}/push-sdk/messages`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(ledger.asked.get(key)?.body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    if (answer.status >= 500) return 'lost'
    if (answer.status !== 200) {
      ledger.refused.push(`${key}: ${answer.status} ${text}`)
      return 'refused'
    }
    const { message_id } = (JSON.parse(text) as { content: { message_id: string } }).content
    ledger.told.set(key, (ledger.told.get(key) ?? new Set()).add(message_id))
    return 'done'
  } catch {
    return 'lost'
  }
}
