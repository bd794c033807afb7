/** A part of the REST API of Pub/Sub (https://cloud.google.com/pubsub/docs/reference/rest). */
import { randomBytes } from 'node:crypto'
import { isObject } from '../../src/platform/is-object.ts'
import { ApiError, bodyFault, invalid, parseMessage, unknownUrl } from '../google-errors.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import { type Core, idOf } from './core.ts'
import type { Broker } from './pubsub.ts'
import type { Json } from './resources.ts'
import { PROJECT, type PushConfig, type Subscription, type Topic } from './state.ts'

const MAX_PULL = 1_000
/** Maximum time for which a pull waits for a message. */
const PULL_WAIT_MS = 2_000
const DEFAULT_ACK_DEADLINE_S = 10
const MAX_ACK_DEADLINE_S = 600
const RETENTION = '604800s'

type Context = { core: Core; broker: Broker; name: string; body: Json }
type Handler = (context: Context) => object | Promise<object>

/** HTTP method, collection and custom verb → the members that the body may have, and the handler. */
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
  if (members === undefined || handler === undefined) throw unknownUrl(path)
  if (project !== PROJECT) {
    throw new ApiError('PERMISSION_DENIED', `User not authorized to perform this action.`)
  }
  if (!ID_FORM.test(id)) throw invalid(`Invalid resource name given (name=${name}).`)
  const body = parseMessage(request.body)
  const unknown = Object.keys(body).find((member) => !members.includes(member))
  if (unknown !== undefined) {
    throw bodyFault('request', { path: unknown, message: 'is not a known member' })
  }
  return { status: 200, body: await handler({ core, broker, name, body }) }
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

function pushConfigOf(value: unknown): PushConfig | null {
  if (!isObject(value) || Object.keys(value).length === 0) return null
  const { pushEndpoint, oidcToken } = value
  if (typeof pushEndpoint !== 'string' || !/^https?:\/\/[^/]/.test(pushEndpoint)) {
    throw invalid('Invalid push endpoint given (endpoint must be an absolute URL).')
  }
  if (!isObject(oidcToken)) return { pushEndpoint }
  const { serviceAccountEmail, audience } = oidcToken
  if (typeof serviceAccountEmail !== 'string') {
    throw invalid('The service account email of the OIDC token is required.')
  }
  const hasAudience = typeof audience === 'string' && audience !== ''
  return { pushEndpoint, oidcToken: { serviceAccountEmail, ...(hasAudience && { audience }) } }
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

function deadlineOf(value: unknown, min: number): number {
  const seconds = Number(value)
  if (Number.isInteger(seconds) && seconds >= min && seconds <= MAX_ACK_DEADLINE_S) return seconds
  throw invalid(`Invalid ack deadline given (deadline_seconds=${seconds}).`)
}

const getTopic = ({ state }: Core, name: string): Topic => existing(state.topics, name)

const getSubscription = ({ state }: Core, name: string): Subscription =>
  existing(state.subscriptions, name)

function existing<T>(resources: ReadonlyMap<string, T>, name: string): T {
  const resource = resources.get(name)
  if (resource !== undefined) return resource
  throw new ApiError('NOT_FOUND', `Resource not found (resource=${idOf(name)}).`)
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

const alreadyExists = (name: string) =>
  new ApiError('ALREADY_EXISTS', `Resource already exists in the project (resource=${idOf(name)}).`)
