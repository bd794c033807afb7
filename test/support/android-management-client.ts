/**
 * A client of the Android Management emulator for tests: access tokens, calls of its APIs, and
 * enterprises with a subscription to their notifications.
 */
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type {
  Device,
  EnrollmentToken,
  Json,
  Operation,
} from '../../emulators/android-management/resources.ts'
import { tokenRequest } from './google-assertion.ts'

export const PROJECT = 'projects/vigil-emulator'
export const TOPIC = `${PROJECT}/topics/notifications`
export const SUBSCRIPTION = `${PROJECT}/subscriptions/vigil`
const SCOPES =
  'https://www.googleapis.com/auth/androidmanagement https://www.googleapis.com/auth/pubsub'
const WAIT_STEP_MS = 5
const WAIT_STEPS = 2_000

export type Answer<T = Json> = { status: number; body: T }
export type Notification = { type: string; data: Json; messageId: string }

export type Client = {
  call: <T = Json>(method: string, path: string, body?: unknown) => Promise<Answer<T>>
  /** Creates topic, subscription, sign-up and enterprise. @returns `enterprises/LC…` */
  createEnterprise: (body?: Json) => Promise<string>
  createPolicy: (enterprise: string, id: string, body?: Json) => Promise<Json>
  createToken: (enterprise: string, body?: Json) => Promise<EnrollmentToken>
  issue: (device: string, command: Json) => Promise<Answer<Operation>>
  device: (name: string) => Promise<Answer<Device>>
  /** Pulls and acknowledges all notifications, and waits until there are at least `min`. */
  drain: (min?: number) => Promise<Notification[]>
}

export async function getAccessToken(
  emulator: AndroidEmulator,
  claims: Json = {},
): Promise<string> {
  const response = await requestToken(emulator, claims)
  return String(response.body['access_token'])
}

/** Requests an access token. @param claims override those of a valid assertion */
export async function requestToken(emulator: AndroidEmulator, claims: Json = {}): Promise<Answer> {
  const form = await tokenRequest(emulator.control.serviceAccount(), SCOPES, claims)
  const response = await fetch(`${emulator.url}/token`, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Json }
}

export async function createClient(emulator: AndroidEmulator): Promise<Client> {
  const authorization = `Bearer ${await getAccessToken(emulator)}`
  const call = async <T = Json>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> => {
    const response = await fetch(`${emulator.url}/v1/${path}`, {
      method,
      headers: { authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as T }
  }
  const pull = async (): Promise<Notification[]> => {
    const { body } = await call<Pulled>('POST', `${SUBSCRIPTION}:pull`, {
      maxMessages: 1_000,
      returnImmediately: true,
    })
    const received = body.receivedMessages ?? []
    if (received.length === 0) return []
    const ackIds = received.map(({ ackId }) => ackId)
    await call('POST', `${SUBSCRIPTION}:acknowledge`, { ackIds })
    return received.map(({ message }) => ({
      type: message.attributes['notificationType'] ?? '',
      data: readData(message.data),
      messageId: message.messageId,
    }))
  }
  return {
    call,
    createEnterprise: async (body = {}) => {
      await createTopic(call)
      const query = `projectId=vigil-emulator&callbackUrl=${encodeURIComponent('https://shop.example/back?state=1')}`
      const signup = await call<{ name: string }>('POST', `signupUrls?${query}`)
      const { redirect_url } = emulator.control.completeSignup(signup.body.name)
      const token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
      const created = await call<{ name: string }>(
        'POST',
        `enterprises?projectId=vigil-emulator&signupUrlName=${signup.body.name}&enterpriseToken=${token}`,
        {
          pubsubTopic: TOPIC,
          enabledNotificationTypes: ['ENROLLMENT', 'STATUS_REPORT', 'COMMAND'],
          ...body,
        },
      )
      return created.body.name
    },
    createPolicy: async (enterprise, id, body = {}) =>
      (await call('PATCH', `${enterprise}/policies/${id}`, body)).body,
    createToken: async (enterprise, body = {}) =>
      (await call<EnrollmentToken>('POST', `${enterprise}/enrollmentTokens`, body)).body,
    issue: (device, command) => call<Operation>('POST', `${device}:issueCommand`, command),
    device: (name) => call<Device>('GET', name),
    drain: async (min = 0) => {
      const all = await pull()
      await until(async () => {
        all.push(...(await pull()))
        return all.length >= min
      })
      return all
    },
  }
}

type Pulled = {
  receivedMessages?: {
    ackId: string
    message: { data: string; attributes: Record<string, string>; messageId: string }
  }[]
}

export const readData = (data: string): Json =>
  (data === '' ? {} : JSON.parse(Buffer.from(data, 'base64').toString('utf8'))) as Json

async function createTopic(call: Client['call']): Promise<void> {
  await call('PUT', TOPIC, {})
  await call('PUT', SUBSCRIPTION, { topic: TOPIC, ackDeadlineSeconds: 60 })
  const members = ['serviceAccount:android-cloud-policy@system.gserviceaccount.com']
  const policy = { bindings: [{ role: 'roles/pubsub.publisher', members }] }
  await call('POST', `${TOPIC}:setIamPolicy`, { policy })
}

/** Waits until a condition holds. @throws Error when it does not hold in time */
export async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; step < WAIT_STEPS; step += 1) {
    if (await isMet()) return
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS))
  }
  throw new Error('The condition was not met in time')
}
