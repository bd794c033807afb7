import { afterAll, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../../test/support/bare-server.ts'
import type { WireMessage } from '../providers/port.ts'
import { notificationRoutes, PUSH_PATH } from './routes.ts'

const taken: WireMessage[] = []
const app = createBareServer({ body_max_bytes: 1000 })
notificationRoutes(app, {
  verify: (header) => Promise.resolve(header === 'Bearer good'),
  notifications: {
    take: (messages) => {
      taken.push(...messages)
      return Promise.resolve(
        messages.map(({ message_id }) => ({
          message_id,
          is_done: !['later', 'locked'].includes(message_id),
          ...(message_id === 'locked' && {
            later: Promise.resolve({ message_id, is_done: true }),
          }),
        })),
      )
    },
  },
})
afterAll(async () => await app.close())

const push = async (payload: string, token = 'good') => {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: PUSH_PATH,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    payload,
  })
  return { statusCode, body }
}
const message = (messageId: string, data: unknown) =>
  JSON.stringify({
    message: {
      messageId,
      data: Buffer.from(JSON.stringify(data)).toString('base64'),
      attributes: { notificationType: 'ENROLLMENT' },
    },
    subscription: 'projects/p/subscriptions/s',
  })

describe('a pushed notification', () => {
  it('is acknowledged when it was applied', async () => {
    expect(await push(message('m1', { name: 'x' }))).toEqual({ statusCode: 204, body: '' })
    expect(taken.at(-1)).toEqual({
      message_id: 'm1',
      notification_type: 'ENROLLMENT',
      data: { name: 'x' },
    })
  })

  it('is sent again when it could not be applied', async () => {
    expect((await push(message('later', {}))).statusCode).toBe(503)
  })

  it('that was put off is answered when it is applied', async () => {
    expect((await push(message('locked', {}))).statusCode).toBe(204)
  })

  it('is refused unread without a token of the provider', async () => {
    const before = taken.length
    expect(await push(message('m2', {}), 'forged')).toEqual({ statusCode: 401, body: '' })
    expect((await push('{', 'forged')).statusCode).toBe(401)
    expect(taken).toHaveLength(before)
  })

  it('may be larger than other bodies', async () => {
    expect((await push(message('large', { text: 'x'.repeat(100_000) }))).statusCode).toBe(204)
  })

  it('that is malformed is acknowledged, because sending it again would not help', async () => {
    const before = taken.length
    for (const body of ['{}', '[]', '{"message":null}', '{"message":{"data":"x"}}', 'null']) {
      expect((await push(body)).statusCode, body).toBe(204)
    }
    expect(taken).toHaveLength(before)
  })
})
