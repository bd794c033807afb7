/**
 * Google Pub/Sub over REST (https://cloud.google.com/pubsub/docs/reference/rest/v1), as far as the
 * notifications about devices need it.
 */
import { definite } from './faults.ts'
import { type Google, type GoogleReply, pathOf } from './google.ts'
import { membersOf } from './messages.ts'
import type { Answer, ProviderFault, PulledMessage, WireMessage } from './port.ts'

/** Google's publisher of the notifications (https://developers.google.com/android/management/notifications). */
export const PUBLISHER = 'serviceAccount:android-cloud-policy@system.gserviceaccount.com'
const PUBLISHER_ROLE = 'roles/pubsub.publisher'

export type PubSubNames = {
  topic: string
  /** Undefined when the operator's own subscription pushes messages. */
  subscription: string | undefined
}

/** Result of a step of the preparation. `there`: it existed before. */
export type Step = 'made' | 'there' | 'failed' | 'not_needed'
export type Preparation = {
  topic: Step
  subscription: Step
  publisher: Step
  faults: ProviderFault[]
}

export type PubSub = {
  /** Creates topic, subscription and the right to publish, as far as the account is permitted to. */
  prepare(names: PubSubNames): Promise<Preparation>
  pull(subscription: string, max: number, signal: AbortSignal): Promise<Answer<PulledMessage[]>>
  acknowledge(subscription: string, ackIds: readonly string[]): Promise<Answer<object>>
  modifyAckDeadline(
    subscription: string,
    ackIds: readonly string[],
    seconds: number,
  ): Promise<Answer<object>>
}

/** Google holds a pull open for up to 90 seconds while there are no messages. */
const PULL_DEADLINE_MS = 120_000
/** A message has at most 10 MB, and base64 adds a third. */
const PULL_MAX_BYTES = 33_554_432
/** Enough to apply a batch even while the database is busy. */
const ACK_DEADLINE_S = 120
/** The maximum of Pub/Sub, seven days. */
const RETENTION = '604800s'

export function createPubSub(google: Google): PubSub {
  let batchMax = Number.POSITIVE_INFINITY

  return {
    prepare: async (names) => await prepare(google, names),
    pull: async (subscription, max, signal) => {
      const maxMessages = Math.max(1, Math.min(max, Math.floor(batchMax)))
      const answer = await post(google, `${subscription}:pull`, { maxMessages }, { signal })
      // The caller is stopping, and Pub/Sub delivers unacknowledged messages again.
      if (signal.aborted) return { ok: true, value: [] }
      if (!answer.ok) {
        // The batch may have been too large: a smaller one keeps it from failing again and again.
        if (answer.fault.kind === 'unavailable') batchMax = Math.max(1, maxMessages / 4)
        return answer
      }
      batchMax *= 2
      return { ok: true, value: readPulled(answer.value.body) }
    },
    acknowledge: async (subscription, ackIds) => {
      if (ackIds.length === 0) return { ok: true, value: {} }
      return await post(google, `${subscription}:acknowledge`, { ackIds: [...ackIds] })
    },
    modifyAckDeadline: async (subscription, ackIds, ackDeadlineSeconds) => {
      if (ackIds.length === 0) return { ok: true, value: {} }
      const body = { ackIds: [...ackIds], ackDeadlineSeconds }
      return await post(google, `${subscription}:modifyAckDeadline`, body)
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
  if (at === undefined) return { ok: false, fault: INVALID_NAME }
  return await google.request({
    verb: 'POST',
    at: 'pubsub_url',
    path: `${at}${name.slice(name.lastIndexOf(':'))}`,
    body,
    ...(signal && { signal, deadline_ms: PULL_DEADLINE_MS, max_bytes: PULL_MAX_BYTES }),
  })
}

const INVALID_NAME = definite('rejected', 'This is not a valid name of a topic or subscription.')

async function prepare(google: Google, { topic, subscription }: PubSubNames): Promise<Preparation> {
  const faults: ProviderFault[] = []
  const stepOf = (answer: Answer<Step>): Step => {
    if (answer.ok) return answer.value
    faults.push(answer.fault)
    return 'failed'
  }
  const topicStep = stepOf(await create(google, topic, {}))
  const subscriptionBody = {
    topic,
    ackDeadlineSeconds: ACK_DEADLINE_S,
    messageRetentionDuration: RETENTION,
    // With an empty policy the subscription never expires, even while it is not pulled.
    expirationPolicy: {},
  }
  return {
    topic: topicStep,
    subscription:
      subscription === undefined
        ? 'not_needed'
        : stepOf(await create(google, subscription, subscriptionBody)),
    publisher: stepOf(await allowPublisher(google, topic)),
    faults,
  }
}

/** PUT creates the resource and is answered with 409 if it exists already. */
async function create(google: Google, name: string, body: object): Promise<Answer<Step>> {
  const path = pathOf(name)
  if (path === undefined) return { ok: false, fault: INVALID_NAME }
  const answer = await google.request({ verb: 'PUT', at: 'pubsub_url', path, body })
  if (answer.ok) return { ok: true, value: 'made' }
  if (answer.fault.kind !== 'rejected') return answer
  const there = await google.request({ verb: 'GET', at: 'pubsub_url', path })
  return there.ok ? { ok: true, value: 'there' } : answer
}

type Binding = { role?: unknown; members?: unknown }

/** Adds to the policy of the topic under its etag, so that concurrent changes are not lost. */
async function allowPublisher(google: Google, topic: string): Promise<Answer<Step>> {
  const path = pathOf(topic)
  if (path === undefined) return { ok: false, fault: INVALID_NAME }
  const policyPath = `${path}:getIamPolicy`
  const current = await google.request({ verb: 'GET', at: 'pubsub_url', path: policyPath })
  if (!current.ok) return current
  const list = current.value.body['bindings']
  const bindings: Binding[] = Array.isArray(list) ? (list as Binding[]) : []
  const isAllowed = ({ role, members }: Binding) =>
    role === PUBLISHER_ROLE && Array.isArray(members) && members.includes(PUBLISHER)
  if (bindings.some(isAllowed)) return { ok: true, value: 'there' }
  const binding = { role: PUBLISHER_ROLE, members: [PUBLISHER] }
  const policy = { ...current.value.body, bindings: [...bindings, binding] }
  const set = await post(google, `${topic}:setIamPolicy`, { policy })
  return set.ok ? { ok: true, value: 'made' } : set
}

function readPulled({ receivedMessages }: Record<string, unknown>): PulledMessage[] {
  if (!Array.isArray(receivedMessages)) return []
  return receivedMessages.flatMap((each: unknown) => {
    const { ackId, message } = membersOf(each)
    if (typeof ackId !== 'string') return []
    // Pub/Sub sends no message without an id; an empty one is acknowledged and dropped.
    return [{ ...(readMessage(message) ?? EMPTY), ack_id: ackId }]
  })
}

const EMPTY: WireMessage = { message_id: '', notification_type: undefined, data: undefined }

/**
 * Parses a `PubsubMessage`, pulled or pushed (member `message` of the body).
 *
 * @returns undefined without a message id
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
