import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  createClient,
  PROJECT,
  readData,
  until,
} from '../../test/support/android-management-client.ts'
import { type HttpEmulator, type HttpReply, type HttpRequest, startHttp } from '../http-server.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client
let endpoint: HttpEmulator
let answer: (request: HttpRequest) => HttpReply

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
  endpoint = await startHttp({
    port: 0,
    host: '127.0.0.1',
    handle: (request) => answer(request),
  })
})
afterAll(async () => {
  await emulator.close()
  await endpoint.close()
})

const EMAIL = 'push@vigil-emulator.iam.gserviceaccount.com'

/** Creates a topic whose messages are pushed to a path of the same name. */
async function subscribe(id: string, oidcToken?: Json): Promise<string> {
  answer = () => ({ status: 204 })
  const topic = `${PROJECT}/topics/${id}`
  await client.call('PUT', topic, {})
  const { status } = await client.call('PUT', `${PROJECT}/subscriptions/${id}`, {
    topic,
    pushConfig: { pushEndpoint: `${endpoint.url}/${id}`, ...(oidcToken && { oidcToken }) },
  })
  expect(status).toBe(200)
  return topic
}

const publish = (topic: string, ...values: Json[]) =>
  client.call<{ messageIds: string[] }>('POST', `${topic}:publish`, {
    messages: values.map((value) => ({
      data: Buffer.from(JSON.stringify(value)).toString('base64'),
      attributes: { notificationType: 'STATUS_REPORT' },
    })),
  })

type Pushed = {
  message: { data: string; messageId: string; attributes: Json }
  subscription: string
}
const pushedTo = (id: string) =>
  endpoint.requests
    .filter(({ path }) => path === `/${id}`)
    .map(({ headers, body }) => ({ headers, body: JSON.parse(body) as Pushed }))

describe('a push', () => {
  test('has the message, and a token that the keys of the emulator verify', async () => {
    const topic = await subscribe('signed', {
      serviceAccountEmail: EMAIL,
      audience: 'https://vigil.example/push',
    })
    const { body } = await publish(topic, { name: 'enterprises/LC1/devices/1' })
    await until(() => pushedTo('signed').length === 1)
    const [pushed] = pushedTo('signed')
    expect(pushed?.body).toMatchObject({
      message: {
        messageId: body.messageIds[0],
        attributes: { notificationType: 'STATUS_REPORT' },
      },
      subscription: `${PROJECT}/subscriptions/signed`,
    })
    expect(readData(pushed?.body.message.data ?? '')).toEqual({ name: 'enterprises/LC1/devices/1' })
    const token = (pushed?.headers['authorization'] ?? '').replace('Bearer ', '')
    const keys = createRemoteJWKSet(new URL(`${emulator.url}/oauth2/v3/certs`))
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: 'https://accounts.google.com',
      audience: 'https://vigil.example/push',
      algorithms: ['RS256'],
    })
    expect(payload).toMatchObject({ email: EMAIL, email_verified: true })
    expect(protectedHeader.kid).toBeTruthy()
  })

  test('has the endpoint as its default audience, and no token unless one is configured', async () => {
    await publish(await subscribe('own', { serviceAccountEmail: EMAIL }), {})
    await publish(await subscribe('bare'), {})
    await until(() => pushedTo('own').length === 1 && pushedTo('bare').length === 1)
    const [own] = pushedTo('own')
    const claims = own?.headers['authorization']?.split('.')[1] ?? ''
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aud: `${endpoint.url}/own`,
    })
    expect(pushedTo('bare')[0]?.headers).not.toHaveProperty('authorization')
  })

  test('that is not acknowledged is repeated with its id until it is', async () => {
    const topic = await subscribe('refused')
    let refusals = 0
    answer = () => {
      refusals += 1
      return refusals <= 2 ? { status: 500 } : { status: 200 }
    }
    const { body } = await publish(topic, {})
    await until(() => pushedTo('refused').length === 3)
    const ids = pushedTo('refused').map((pushed) => pushed.body.message.messageId)
    expect(new Set(ids)).toEqual(new Set(body.messageIds))
  })

  test('is sent for each of a thousand messages', async () => {
    const topic = await subscribe('many')
    const values = Array.from({ length: 1_000 }, (_, at) => ({ at }))
    const seen = new Set<number>()
    answer = ({ body }) => {
      const { message } = JSON.parse(body) as Pushed
      seen.add(Number(readData(message.data)['at']))
      return { status: 204 }
    }
    await publish(topic, ...values)
    await until(() => seen.size === values.length)
    expect(seen.size).toBe(1_000)
  })
})

test('a push subscription cannot be pulled', async () => {
  await subscribe('pushed')
  const path = `${PROJECT}/subscriptions/pushed:pull`
  expect(await client.call('POST', path, { maxMessages: 1 })).toMatchObject({
    status: 400,
    body: { error: { status: 'FAILED_PRECONDITION' } },
  })
})
