import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient, PROJECT } from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'

let emulator: AndroidEmulator
let client: Client

beforeAll(async () => {
  // The clock moves only when it is advanced, so that a slow machine cannot expire leases.
  const now = new Date()
  emulator = await startAndroidManagement({ port: 0, now: () => now })
  client = await createClient(emulator)
})
afterAll(() => emulator.close())

const topicOf = (id: string) => `${PROJECT}/topics/${id}`
const subscriptionOf = (id: string) => `${PROJECT}/subscriptions/${id}`

/** Creates a topic and a subscription with the same id. */
async function create(id: string, ackDeadlineSeconds = 10): Promise<void> {
  await client.call('PUT', topicOf(id), {})
  await client.call('PUT', subscriptionOf(id), { topic: topicOf(id), ackDeadlineSeconds })
}

const publish = (id: string, ...texts: string[]) =>
  client.call<{ messageIds: string[] }>('POST', `${topicOf(id)}:publish`, {
    messages: texts.map((text) => ({ data: Buffer.from(text).toString('base64') })),
  })

type Pulled = {
  receivedMessages?: { ackId: string; message: { data: string; messageId: string } }[]
}
const pull = async (id: string, more: object = { returnImmediately: true }) => {
  const body = { maxMessages: 10, ...more }
  const answer = await client.call<Pulled>('POST', `${subscriptionOf(id)}:pull`, body)
  expect(answer.status).toBe(200)
  return answer.body.receivedMessages ?? []
}

describe('topics and subscriptions', () => {
  test('are created once and can be read', async () => {
    await create('once', 30)
    expect(await client.call('PUT', topicOf('once'), {})).toMatchObject({
      status: 409,
      body: { error: { status: 'ALREADY_EXISTS' } },
    })
    const again = await client.call('PUT', subscriptionOf('once'), { topic: topicOf('once') })
    expect(again.status).toBe(409)
    expect((await client.call('GET', topicOf('once'))).body).toEqual({ name: topicOf('once') })
    expect((await client.call('GET', subscriptionOf('once'))).body).toMatchObject({
      name: subscriptionOf('once'),
      topic: topicOf('once'),
      ackDeadlineSeconds: 30,
      pushConfig: {},
    })
  })

  test('have message ids that are unique across emulators', async () => {
    const ids = new Set<string>()
    for (let start = 0; start < 2; start += 1) {
      const another = await startAndroidManagement({ port: 0 })
      const { call } = await createClient(another)
      await call('PUT', topicOf('ids'), {})
      const messages = Array.from({ length: 20 }, () => ({ data: 'eA==' }))
      const path = `${topicOf('ids')}:publish`
      const { body } = await call<{ messageIds: string[] }>('POST', path, { messages })
      for (const id of body.messageIds) ids.add(id)
      await another.close()
    }
    expect(ids.size).toBe(40)
    for (const id of ids) expect(id).toMatch(/^[1-9]\d{15}$/)
  })

  test.each([
    ['GET', topicOf('none'), undefined, 404],
    ['GET', subscriptionOf('none'), undefined, 404],
    ['PUT', subscriptionOf('lost'), { topic: topicOf('none') }, 404],
    ['PUT', topicOf('odd'), { color: 'red' }, 400],
    ['PUT', topicOf('1st'), {}, 400],
    ['PUT', 'projects/other/topics/some', {}, 403],
    ['POST', `${topicOf('none')}:explode`, {}, 404],
  ])('%s %s with %j is %i', async (method, path, body, status) => {
    const answer = await client.call<{ error: object }>(method, path, body)
    expect(answer).toMatchObject({ status, body: { error: { code: status } } })
  })

  test('need a valid deadline and endpoint', async () => {
    await create('strict')
    const topic = topicOf('strict')
    for (const body of [{ ackDeadlineSeconds: 5 }, { pushConfig: { pushEndpoint: '/here' } }]) {
      const answer = await client.call('PUT', subscriptionOf('strict2'), { topic, ...body })
      expect(answer.status).toBe(400)
    }
  })

  test('have a policy that is changed only with its latest etag', async () => {
    await create('policy')
    const read = await client.call('GET', `${topicOf('policy')}:getIamPolicy`)
    const { etag } = read.body
    const bindings = [{ role: 'roles/pubsub.publisher', members: ['user:a@example.com'] }]
    const path = `${topicOf('policy')}:setIamPolicy`
    expect(await client.call('POST', path, { policy: { bindings, etag } })).toMatchObject({
      status: 200,
      body: { bindings },
    })
    expect(await client.call('POST', path, { policy: { bindings, etag } })).toMatchObject({
      status: 409,
      body: { error: { status: 'ABORTED' } },
    })
  })
})

describe('a message', () => {
  test('is pulled with its data and removed when it is acknowledged', async () => {
    await create('plain')
    const { body } = await publish('plain', 'one', 'two')
    const received = await pull('plain')
    expect(received.map(({ message }) => message)).toMatchObject([
      { data: Buffer.from('one').toString('base64'), messageId: body.messageIds[0] },
      { data: Buffer.from('two').toString('base64'), messageId: body.messageIds[1] },
    ])
    expect(await pull('plain')).toEqual([])
    const ackIds = received.map(({ ackId }) => ackId)
    expect(
      (await client.call('POST', `${subscriptionOf('plain')}:acknowledge`, { ackIds })).body,
    ).toEqual({})
    emulator.control.advanceClock({ advance_seconds: 3_600 })
    expect(await pull('plain')).toEqual([])
  })

  test('is delivered again with its id when it is not acknowledged in time', async () => {
    await create('again')
    await publish('again', 'one')
    const [first] = await pull('again')
    emulator.control.advanceClock({ advance_seconds: 9 })
    expect(await pull('again')).toEqual([])
    emulator.control.advanceClock({ advance_seconds: 1 })
    const [second] = await pull('again')
    expect(second?.message.messageId).toBe(first?.message.messageId)
    expect(second?.ackId).not.toBe(first?.ackId)
  })

  test('is delivered again after a new deadline, and immediately after a deadline of 0', async () => {
    await create('moved')
    await publish('moved', 'one')
    const [{ ackId } = { ackId: '' }] = await pull('moved')
    const modify = (ackDeadlineSeconds: number) =>
      client.call('POST', `${subscriptionOf('moved')}:modifyAckDeadline`, {
        ackIds: [ackId],
        ackDeadlineSeconds,
      })
    expect((await modify(60)).status).toBe(200)
    emulator.control.advanceClock({ advance_seconds: 30 })
    expect(await pull('moved')).toEqual([])
    await modify(0)
    expect(await pull('moved')).toHaveLength(1)
    expect((await modify(601)).status).toBe(400)
  })

  test('reaches a pull that waits for it', async () => {
    await create('waited')
    const waiting = pull('waited', {})
    await publish('waited', 'late')
    expect(await waiting).toHaveLength(1)
  })

  test('reaches every subscription of its topic', async () => {
    await create('both')
    await client.call('PUT', subscriptionOf('both2'), { topic: topicOf('both') })
    await publish('both', 'one')
    expect(await pull('both')).toHaveLength(1)
    expect(await pull('both2')).toHaveLength(1)
  })
})

test('a pull and an acknowledgment of nothing are refused', async () => {
  await create('refused')
  const path = subscriptionOf('refused')
  expect((await client.call('POST', `${path}:pull`, {})).status).toBe(400)
  expect((await client.call('POST', `${path}:acknowledge`, { ackIds: [] })).status).toBe(400)
})
