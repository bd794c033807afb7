import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSender, requestToken, type Sender } from '../../test/support/fcm-sender.ts'
import { createAuthority } from '../certificate.ts'
import { type FcmEmulator, startFcm } from './index.ts'

const INTERNAL_ERROR = 2
const REFUSED_STREAM = 7
const authority = createAuthority()
let emulator: FcmEmulator
let sender: Sender
let token = ''

beforeEach(async () => {
  emulator = await startFcm({ port: 0, authority })
  sender = await createSender(emulator)
  token = emulator.control.makePhone().token
})
afterEach(async () => {
  sender.client.close()
  await emulator.close()
})

const received = () => emulator.control.getPhone(token).received

describe('a message', () => {
  test.each([
    ['reset_stream_rate', INTERNAL_ERROR, 0],
    ['refuse_stream_rate', REFUSED_STREAM, 0],
    ['lost_stream_rate', INTERNAL_ERROR, 1],
  ] as const)('by %s ends with code %i and is received %i times', async (rate, code, count) => {
    emulator.control.setFaults({ [rate]: 1 })
    expect(await sender.send({ token })).toMatchObject({ status: null, rst_code: code })
    expect(received()).toBe(count)
    emulator.control.setFaults({})
    expect((await sender.send({ token })).status).toBe(200)
  })

  test.each([
    ['reset_rate', 0],
    ['lost_answer_rate', 1],
  ] as const)('by %s ends with its connection and is received %i times', async (rate, count) => {
    emulator.control.setFaults({ [rate]: 1 })
    expect((await sender.send({ token })).status).toBe(null)
    await sender.client.closed
    expect(received()).toBe(count)
    expect(emulator.control.truth().accepted).toBe(count)
    expect(emulator.control.requests().at(-1)).toMatchObject({ status: null })
  })

  test('loses its answer by the denial of its phone, and other messages do not', async () => {
    emulator.control.changePhone(token, { denial: { code: 'lost_answer' } })
    const other = emulator.control.makePhone().token
    expect((await sender.send({ token: other })).status).toBe(200)
    expect((await sender.send({ token })).status).toBe(null)
    expect(received()).toBe(1)
    expect(emulator.control.getPhone(token).denial).toEqual({ code: 'lost_answer' })
  })

  test('can hang while others are answered', async () => {
    emulator.control.changePhone(token, { denial: { code: 'hang', times: 1 } })
    const hanging = sender.send({ token })
    const other = emulator.control.makePhone().token
    expect((await sender.send({ token: other })).status).toBe(200)
    expect(emulator.control.traffic().streams_open).toBe(1)
    sender.client.close()
    expect((await hanging).status).toBe(null)
    expect(received()).toBe(0)
  })

  test('is answered after the latency that is set', async () => {
    emulator.control.setFaults({ latency_ms: 300 })
    const first = sender.send({ token })
    while (received() === 0) await new Promise((resolve) => setImmediate(resolve))
    emulator.control.setFaults({})
    const order: string[] = []
    await Promise.all([
      first.then(() => order.push('first')),
      sender.send({ token }).then(() => order.push('second')),
    ])
    expect(order).toEqual(['second', 'first'])
  })
})

describe('a connection', () => {
  test('has 100 concurrent streams, the limit of Google, or the limit that is set', async () => {
    const { session } = sender.client
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100)
    emulator.control.setQuotas({ streams_max: 3 })
    await once(session, 'remoteSettings')
    expect(session.remoteSettings.maxConcurrentStreams).toBe(3)
    const later = await createSender(emulator)
    expect(emulator.control.traffic()).toMatchObject({ connections_open: 2 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => later.send({ token })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(later.client.session.remoteSettings.maxConcurrentStreams).toBe(3)
    later.client.close()
  })

  test('receives GOAWAY after a number of streams, and later messages are not accepted', async () => {
    emulator.control.setFaults({ goaway: { after_streams: 10 } })
    const answers = await Promise.all(Array.from({ length: 60 }, () => sender.send({ token })))
    // The access token took one stream.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
    expect(received()).toBe(9)
    expect(sender.client.goaways[0]).toEqual({ last_stream: 19, debug: '' })
    await sender.client.closed
  })

  test('is reset while the service is unavailable, also to the token endpoint', async () => {
    emulator.control.setFaults({ unreachable: true })
    expect((await requestToken(emulator, sender.client)).status).toBe(null)
    const again = createSender(emulator)
    await expect(again).rejects.toThrow()
  })
})

test('ten thousand messages to one phone are counted, and the last ones stored', async () => {
  const each = 1_000
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: each }, () => sender.send({ token })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  }
  expect(received()).toBe(10 * each)
  expect(emulator.control.getPhone(token).last).toHaveLength(20)
  expect(emulator.control.truth()).toMatchObject({ accepted: 10 * each, repeated: 0 })
}, 60_000)
