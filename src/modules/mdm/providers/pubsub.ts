/**
 * Google Pub/Sub over REST (https://cloud.google.com/pubsub/docs/reference/rest/v1), as far as the
 * notifications about devices need it.
 */
import { type Google, type GoogleReply, pathOf } from './google.ts'
import type { Answer, ProviderFault, PulledMessage, WireMessage } from './port.ts'

/** Who publishes the notifications (https://developers.google.com/android/management/notifications). */
export const PUBLISHER = 'serviceAccount:android-cloud-policy@system.gserviceaccount.com'
const PUBLISHER_ROLE = 'roles/pubsub.publisher'

export type PubSubNames = {
  topic: string
  /** Undefined when messages are pushed, by a subscription that the operator made. */
  subscription: string | undefined
}

/** How a step of the preparation ended. */
export type Step = 'made' | 'there' | 'failed' | 'not_needed'
export type Preparation = {
  topic: Step
  subscription: Step
  publisher: Step
  faults: ProviderFault[]
}

export type PubSub = {
  /** Topic, subscription, and the right to publish, as far as the account may make them. */
  prepare(names: PubSubNames): Promise<Preparation>
  pull(subscription: string, max: number, signal: AbortSignal): Promise<Answer<PulledMessage[]>>
  acknowledge(subscription: string, ackIds: readonly string[]): Promise<Answer<object>>
}

/** Google keeps a pull open for up to a minute and a half while there is nothing. */
const PULL_DEADLINE_MS = 120_000
/** A message has at most 10 MB, a third more as base64. */
const PULL_MAX_BYTES = 33_554_432
/** A batch is applied well within it, also by a database that has much else to do. */
const ACK_DEADLINE_S = 120
/** The longest there is: seven days. */
const RETENTION = '604800s'

export function createPubSub(google: Google): PubSub {
  let fitting = Number.POSITIVE_INFINITY

  return {
    prepare: async (names) => await prepare(google, names),
    pull: async (subscription, max, signal) => {
      const maxMessages = Math.max(1, Math.min(max, Math.floor(fitting)))
      const answer = await post(google, `${subscription}:pull`, { maxMessages }, { signal })
      // What was pulled and not read comes again; nobody waits for it any more.
      if (signal.aborted) return { ok: true, value: [] }
      if (!answer.ok) {
        // Perhaps it was too much at once: fewer, lest the same come again and again.
        if (answer.fault.kind === 'unavailable') fitting = Math.max(1, maxMessages / 4)
        return answer
      }
      fitting *= 2
      return { ok: true, value: readPulled(answer.value.body) }
    },
    acknowledge: async (subscription, ackIds) => {
      if (ackIds.length === 0) return { ok: true, value: {} }
      return await post(google, `${subscription}:acknowledge`, { ackIds: [...ackIds] })
    },
  }
}

async function post(
  google: Google,
  name: string,
  body: object,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Answer<GoogleReply>> {
  const at = pathOf(name.slice(0, name.lastIndexOf(':')))
  if (at === undefined) return { ok: false, fault: NO_NAME }
  return await google.ask({
    verb: 'POST',
    at: 'pubsub_url',
    path: `${at}${name.slice(name.lastIndexOf(':'))}`,
    body,
    ...(signal && { signal, deadline_ms: PULL_DEADLINE_MS, max_bytes: PULL_MAX_BYTES }),
  })
}

const NO_NAME: ProviderFault = {
  kind: 'rejected',
  message: 'This is not the name of a topic or subscription.',
  is_ambiguous: false,
}

async function prepare(google: Google, { topic, subscription }: PubSubNames): Promise<Preparation> {
  const faults: ProviderFault[] = []
  const told = (answer: Answer<Step>): Step => {
    if (answer.ok) return answer.value
    faults.push(answer.fault)
    return 'failed'
  }
  const madeTopic = told(await make(google, topic, {}))
  const ofSubscription = {
    topic,
    ackDeadlineSeconds: ACK_DEADLINE_S,
    messageRetentionDuration: RETENTION,
    // An empty policy: it does not expire however long nobody pulls.
    expirationPolicy: {},
  }
  return {
    topic: madeTopic,
    subscription:
      subscription === undefined
        ? 'not_needed'
        : told(await make(google, subscription, ofSubscription)),
    publisher: told(await allowPublisher(google, topic)),
    faults,
  }
}

/** PUT creates; that there is one already is told as 409. */
async function make(google: Google, name: string, body: object): Promise<Answer<Step>> {
  const path = pathOf(name)
  if (path === undefined) return { ok: false, fault: NO_NAME }
  const answer = await google.ask({ verb: 'PUT', at: 'pubsub_url', path, body })
  if (answer.ok) return { ok: true, value: 'made' }
  if (answer.fault.kind !== 'rejected') return answer
  const there = await google.ask({ verb: 'GET', at: 'pubsub_url', path })
  return there.ok ? { ok: true, value: 'there' } : answer
}

type Binding = { role?: unknown; members?: unknown }

/** Reads the policy and adds to it, with its etag, so that no other change is lost. */
async function allowPublisher(google: Google, topic: string): Promise<Answer<Step>> {
  const path = pathOf(topic)
  if (path === undefined) return { ok: false, fault: NO_NAME }
  const got = await google.ask({ verb: 'GET', at: 'pubsub_url', path: `${path}:getIamPolicy` })
  if (!got.ok) return got
  const given = got.value.body['bindings']
  const bindings: Binding[] = Array.isArray(given) ? (given as Binding[]) : []
  const isAllowed = ({ role, members }: Binding) =>
    role === PUBLISHER_ROLE && Array.isArray(members) && members.includes(PUBLISHER)
  if (bindings.some(isAllowed)) return { ok: true, value: 'there' }
  const binding = { role: PUBLISHER_ROLE, members: [PUBLISHER] }
  const policy = { ...got.value.body, bindings: [...bindings, binding] }
  const set = await post(google, `${topic}:setIamPolicy`, { policy })
  return set.ok ? { ok: true, value: 'made' } : set
}

function readPulled({ receivedMessages }: Record<string, unknown>): PulledMessage[] {
  if (!Array.isArray(receivedMessages)) return []
  return receivedMessages.flatMap((each: unknown) => {
    const { ackId, message } = membersOf(each)
    if (typeof ackId !== 'string') return []
    // Without an id it cannot be told from others, and is nothing that Pub/Sub sends.
    return [{ ...(readMessage(message) ?? EMPTY), ack_id: ackId }]
  })
}

const EMPTY: WireMessage = { message_id: '', notification_type: undefined, data: undefined }

/**
 * `PubsubMessage`, as it is pulled and as it is pushed (member `message` of the body).
 * @returns undefined when it is none
 */
export function readMessage(value: unknown): WireMessage | undefined {
  const { messageId, attributes, data } = membersOf(value)
  if (typeof messageId !== 'string' || messageId === '') return undefined
  const { notificationType } = membersOf(attributes)
  return {
    message_id: messageId,
    notification_type: typeof notificationType === 'string' ? notificationType : undefined,
    data: typeof data === 'string' ? readData(data) : undefined,
  }
}

function readData(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
