/**
 * Validates a message: first by Google's description of the API, then by the rules of FCM
 * (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
 */
import { type ApiDescription, findMessageFault } from '../../src/platform/google/api-description.ts'
import { isObject } from '../../src/platform/is-object.ts'
import { bodyFault, invalid, parseJson } from '../google-errors.ts'
import { invalidArgument, invalidField } from './errors.ts'

type Texts = Readonly<Record<string, string>>

/** The members that the emulator reads. */
export type Message = {
  readonly token?: string
  readonly topic?: string
  readonly condition?: string
  readonly data?: Texts
  readonly notification?: Texts
  readonly android?: {
    readonly ttl?: string
    readonly collapseKey?: string
    readonly restrictedPackageName?: string
    readonly data?: Texts
    readonly notification?: Readonly<Record<string, unknown>> & { tag?: string; color?: string }
  }
}
export type SendRequest = { readonly message: Message; readonly is_dry_run: boolean }

const REQUEST = 'SendMessageRequest'
const TOKEN = /^[\w-]{8,64}:APA91b[\w-]{60,300}$/
const TOPIC = /^[\w.~%-]{1,900}$/
const COLOR = /^#[0-9A-Fa-f]{6}$/
const RESERVED = /^(?:from|message_type|google\..*|gcm\.notification\..*)$/
const TTL_MAX_S = 2_419_200
const PAYLOAD_MAX_BYTES = 4_096
const TOPIC_PAYLOAD_MAX_BYTES = 2_048

/** @throws ApiError or FcmError with Google's answer to an invalid body */
export function readSendRequest(api: ApiDescription, body: Buffer): SendRequest {
  let request = parseJson(body.toString('utf8'))
  if (findMessageFault(api, REQUEST, request, { is_request: true })) {
    request = normalize(api, `#${REQUEST}`, request)
    const fault = findMessageFault(api, REQUEST, request, { is_request: true })
    if (fault?.path === '') {
      throw invalid('Invalid JSON payload received. Root element must be a message.')
    }
    if (fault) {
      const [root = '', ...rest] = fault.path.split('.')
      throw bodyFault(root, { ...fault, path: rest.join('.') })
    }
  }
  const { message, validateOnly = false } = request as { message?: Message; validateOnly?: boolean }
  if (message === undefined) throw invalidField('message', 'Message is not set.')
  checkTarget(message)
  checkOptions(message)
  checkSize(message)
  return { message, is_dry_run: validateOnly }
}

function checkTarget({ token, topic, condition }: Message): void {
  const targets = [token, topic, condition].filter((target) => target !== undefined)
  if (targets.length === 0) throw invalidField('message', 'Recipient of the message is not set.')
  if (targets.length > 1) throw invalidField('message', 'The message has more than one recipient.')
  if (token !== undefined && !TOKEN.test(token)) {
    throw invalidArgument('The registration token is not a valid FCM registration token')
  }
  if (topic !== undefined && !TOPIC.test(topic)) {
    throw invalidField('message.topic', 'Invalid topic name')
  }
}

function checkOptions({ data, android }: Message): void {
  for (const key of [...Object.keys(data ?? {}), ...Object.keys(android?.data ?? {})]) {
    if (RESERVED.test(key)) throw invalidField('message.data', `Invalid data payload key: ${key}`)
  }
  const ttl_s = android?.ttl === undefined ? 0 : Number(android.ttl.slice(0, -1))
  if (ttl_s < 0 || ttl_s > TTL_MAX_S) {
    throw invalidField('message.android.ttl', 'Invalid ttl: it is from 0 to 4 weeks')
  }
  const color = android?.notification?.color
  if (color !== undefined && !COLOR.test(color)) {
    throw invalidField('message.android.notification.color', 'Invalid color: it is #rrggbb')
  }
}

/** Google does not document how it measures; JSON makes the payload slightly longer. */
function checkSize({ token, data, notification, android }: Message): void {
  const parts = [data, notification, android?.data, android?.notification]
  const bytes = parts.reduce<number>(
    (sum, part) => sum + (part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))),
    0,
  )
  const max = token === undefined ? TOPIC_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES
  if (bytes > max) throw invalidArgument('Android message is too big')
}

/**
 * Brings a message into the form of the description. Names in snake_case are equivalent
 * (https://protobuf.dev/programming-guides/json/), and the guides of FCM write `"priority": "high"`.
 */
function normalize(api: ApiDescription, type: string, value: unknown): unknown {
  if (type.startsWith('enum ') && typeof value === 'string') {
    const upper = value.toUpperCase()
    return type.split(' ').includes(upper) ? upper : value
  }
  const members = type.startsWith('#') ? api.messages[type.slice(1)] : undefined
  if (members === undefined || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const camel = key.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())
      const name = Object.hasOwn(members, key) ? key : camel
      const inner = Object.hasOwn(members, name) ? members[name] : undefined
      return inner === undefined ? [key, member] : [name, normalize(api, inner, member)]
    }),
  )
}
