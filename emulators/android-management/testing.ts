/** A client for tests: a token, calls of the APIs, an enterprise with a subscription, and patience. */
import { importPKCS8, SignJWT } from 'jose'
import type { AndroidEmulator } from './index.ts'
import type { Device, EnrollmentToken, Json, Operation } from './resources.ts'

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
  /** Makes topic and subscription, signs up, creates an enterprise. @returns `enterprises/LC…` */
  createEnterprise: (body?: Json) => Promise<string>
  createPolicy: (enterprise: string, id: string, body?: Json) => Promise<Json>
  createToken: (enterprise: string, body?: Json) => Promise<EnrollmentToken>
  issue: (device: string, command: Json) => Promise<Answer<Operation>>
  device: (name: string) => Promise<Answer<Device>>
  /** All that is there to be pulled, acknowledged; waits until there are at least `min`. */
  drain: (min?: number) => Promise<Notification[]>
}

export async function getAccessToken(
  emulator: AndroidEmulator,
  claims: Json = {},
): Promise<string> {
  const response = await requestToken(emulator, claims)
  return String(response.body['access_token'])
}

/** @param claims in place of those that are right */
export async function requestToken(emulator: AndroidEmulator, claims: Json = {}): Promise<Answer> {
  const account = emulator.control.serviceAccount()
  const seconds = Math.floor(Date.now() / 1_000)
  const assertion = await new SignJWT({
    iss: account.client_email,
    scope: SCOPES,
    aud: account.token_uri,
    iat: seconds,
    exp: seconds + 3_600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: account.private_key_id })
    .sign(await importPKCS8(account.private_key, 'RS256'))
  const response = await fetch(`${emulator.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }),
  })
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
  await call('POST', `${TOPIC}:setIamPolicy`, {
    policy: {
      bindings: [
        {
          role: 'roles/pubsub.publisher',
          members: ['serviceAccount:android-cloud-policy@system.gserviceaccount.com'],
        },
      ],
    },
  })
}

/** Ends when it is so; fails when it does not become so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; step < WAIT_STEPS; step += 1) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS))
  }
  throw new Error('it did not come to pass')
}
