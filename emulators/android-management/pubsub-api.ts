/** The REST interface of Pub/Sub (https://cloud.google.com/pubsub/docs/reference/rest), in part. */
import { randomBytes } from 'node:crypto'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { Core } from './core.ts'
import { ApiError, bodyFault, invalid } from './errors.ts'
import { isObject } from './masks.ts'
import type { Broker } from './pubsub.ts'
import type { Json } from './resources.ts'
import { PROJECT, type PushConfig, type Subscription, type Topic } from './state.ts'

const MAX_PULL = 1_000
/** How long a pull waits for a first message. */
const PULL_WAIT_MS = 2_000
const DEFAULT_ACK_DEADLINE_S = 10
const MAX_ACK_DEADLINE_S = 600
const RETENTION = '604800s'

type Context = { core: Core; broker: Broker; name: string; body: Json }
type Handler = (context: Context) => object | Promise<object>

/** By verb, collection and custom verb; the members that a body may have. */
const METHODS: Readonly<Record<string, readonly [members: readonly string[], handler: Handler]>> = {
  'PUT topics': [['name', 'labels', 'messageRetentionDuration'], createTopic],
  'GET topics': [[], ({ core, name }) => topicView(getTopic(core, name))],
  'GET topics:getIamPolicy': [[], ({ core, name }) => getTopic(core, name).policy],
  'POST topics:setIamPolicy': [['policy', 'updateMask'], setPolicy],
  'POST topics:publish': [['messages'], publish],
  'PUT subscriptions': [
    [
      'name',
      'topic',
      'pushConfig',
      'ackDeadlineSeconds',
      'retainAckedMessages',
      'messageRetentionDuration',
      'labels',
      'expirationPolicy',
      'retryPolicy',
    ],
    createSubscription,
  ],
  'GET subscriptions': [[], ({ core, name }) => subscriptionView(getSubscription(core, name))],
  'POST subscriptions:pull': [['maxMessages', 'returnImmediately'], pull],
  'POST subscriptions:acknowledge': [['ackIds'], acknowledge],
  'POST subscriptions:modifyAckDeadline': [['ackIds', 'ackDeadlineSeconds'], modifyDeadline],
}

const PATH = /^\/v1\/(projects\/([^/]+)\/(topics|subscriptions)\/([^/:]+))(:\w+)?$/
const ID_FORM = /^[A-Za-z][\w.~+%-]{2,254}$/

export const isPubSubPath = (path: string): boolean => path.startsWith('/v1/projects/')

export async function callPubSub(
  core: Core,
  broker: Broker,
  request: HttpRequest,
  path: string,
): Promise<HttpReply> {
  const [, name = '', project, collection, id = '', verb = ''] = PATH.exec(path) ?? []
  const [members, handler] = METHODS[`${request.method} ${collection}${verb}`] ?? []
  if (members === undefined || handler === undefined) {
    throw new ApiError('NOT_FOUND', `The requested URL ${path} was not found on this server.`)
  }
  if (project !== PROJECT) {
    throw new ApiError('PERMISSION_DENIED', `User not authorized to perform this action.`)
  }
  if (!ID_FORM.test(id)) throw invalid(`Invalid resource name given (name=${name}).`)
  const body = readBody(request.body)
  const unknown = Object.keys(body).find((member) => !members.includes(member))
  if (unknown !== undefined) {
    throw bodyFault('request', { path: unknown, message: 'is not a known member' })
  }
  const answer = await handler({ core, broker, name, body })
  return { status: 200, body: answer }
}

function readBody(text: string): Json {
  try {
    const body = (text.trim() === '' ? {} : JSON.parse(text)) as unknown
    if (isObject(body)) return body
  } catch {
    throw invalid('Invalid JSON payload received. Unexpected token.')
  }
  throw invalid('Invalid JSON payload received. Root element must be a message.')
}

function createTopic({ core, name }: Context): object {
  if (core.state.topics.has(name)) throw alreadyExists(name)
  const topic = { name, policy: { etag: newEtag() }, subscriptions: [] }
  core.state.topics.set(name, topic)
  core.touch()
  return topicView(topic)
}

function setPolicy({ core, name, body }: Context): object {
  const topic = getTopic(core, name)
  const policy = body['policy']
  if (!isObject(policy)) throw invalid('Request contains an invalid argument. policy is required')
  if (policy['etag'] !== undefined && policy['etag'] !== topic.policy['etag']) {
    throw new ApiError('ABORTED', 'There were concurrent policy changes. Please retry.')
  }
  topic.policy = { ...policy, etag: newEtag() }
  core.touch()
  return topic.policy
}

function publish({ core, broker, name, body }: Context): object {
  const { name: topic } = getTopic(core, name)
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isObject) : []
  if (messages.length === 0) throw invalid('The value for message_count is too small.')
  const messageIds = messages.map(({ data, attributes }) =>
    broker.publish(
      topic,
      typeof data === 'string' ? data : '',
      (isObject(attributes) ? attributes : {}) as Record<string, string>,
    ),
  )
  return { messageIds }
}

function createSubscription({ core, name, body }: Context): object {
  if (core.state.subscriptions.has(name)) throw alreadyExists(name)
  const topic = getTopic(core, typeof body['topic'] === 'string' ? body['topic'] : '')
  const subscription: Subscription = {
    name,
    topic: topic.name,
    ack_deadline_seconds: deadlineOf(body['ackDeadlineSeconds'] || DEFAULT_ACK_DEADLINE_S, 10),
    push_config: pushConfigOf(body['pushConfig']),
    ready: [],
    leased: new Map(),
  }
  core.state.subscriptions.set(name, subscription)
  topic.subscriptions.push(name)
  core.touch()
  return subscriptionView(subscription)
}

function pushConfigOf(told: unknown): PushConfig | null {
  if (!isObject(told) || Object.keys(told).length === 0) return null
  const { pushEndpoint, oidcToken } = told
  if (typeof pushEndpoint !== 'string' || !/^https?:\/\/[^/]/.test(pushEndpoint)) {
    throw invalid('Invalid push endpoint given (endpoint must be an absolute URL).')
  }
  if (!isObject(oidcToken)) return { pushEndpoint }
  const { serviceAccountEmail, audience } = oidcToken
  if (typeof serviceAccountEmail !== 'string') {
    throw invalid('The service account email of the OIDC token is required.')
  }
  const isTold = typeof audience === 'string' && audience !== ''
  return { pushEndpoint, oidcToken: { serviceAccountEmail, ...(isTold && { audience }) } }
}

async function pull({ core, broker, name, body }: Context): Promise<object> {
  const subscription = getSubscription(core, name)
  const max = Number(body['maxMessages'])
  if (!(max > 0)) throw invalid('The value for max_messages must be greater than 0.')
  if (subscription.push_config !== null) {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'This method is not supported for this subscription type.',
    )
  }
  let messages = broker.pull(subscription, Math.min(max, MAX_PULL))
  if (messages.length === 0 && body['returnImmediately'] !== true) {
    await broker.wait(subscription, PULL_WAIT_MS)
    messages = broker.pull(subscription, Math.min(max, MAX_PULL))
  }
  return messages.length === 0 ? {} : { receivedMessages: messages }
}

function acknowledge({ core, broker, name, body }: Context): object {
  broker.acknowledge(getSubscription(core, name), ackIdsOf(body))
  return {}
}

function modifyDeadline({ core, broker, name, body }: Context): object {
  const seconds = deadlineOf(body['ackDeadlineSeconds'] ?? 0, 0)
  broker.extend(getSubscription(core, name), ackIdsOf(body), seconds)
  return {}
}

function ackIdsOf({ ackIds }: Json): string[] {
  if (!Array.isArray(ackIds) || ackIds.length === 0) throw invalid('No ack ids specified.')
  return ackIds.map(String)
}

function deadlineOf(told: unknown, min: number): number {
  const seconds = Number(told)
  if (Number.isInteger(seconds) && seconds >= min && seconds <= MAX_ACK_DEADLINE_S) return seconds
  throw invalid(`Invalid ack deadline given (deadline_seconds=${seconds}).`)
}

function getTopic({ state }: Core, name: string): Topic {
  const topic = state.topics.get(name)
  if (topic === undefined) throw missing(name)
  return topic
}

function getSubscription({ state }: Core, name: string): Subscription {
  const subscription = state.subscriptions.get(name)
  if (subscription === undefined) throw missing(name)
  return subscription
}

const topicView = ({ name }: { name: string }): object => ({ name })

const subscriptionView = (subscription: Subscription): object => ({
  name: subscription.name,
  topic: subscription.topic,
  pushConfig: subscription.push_config ?? {},
  ackDeadlineSeconds: subscription.ack_deadline_seconds,
  messageRetentionDuration: RETENTION,
  state: 'ACTIVE',
})

const newEtag = (): string => randomBytes(8).toString('base64')

const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

const alreadyExists = (name: string) =>
  new ApiError(
    'ALREADY_EXISTS',
    `Resource already exists in the project (resource=${shortName(name)}).`,
  )

const missing = (name: string) =>
  new ApiError('NOT_FOUND', `Resource not found (resource=${shortName(name)}).`)
