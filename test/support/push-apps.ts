/** Records of apps for the operations of the OpenAPI document. */
import { randomUUID } from 'node:crypto'
import type { Registered } from '../../src/modules/push/apps/schema.ts'
import type { Harness, Tenant } from '../harness.ts'

/** Subscriptions for the operations of an app, one of which is deleted, and a message. */
export async function addAppSubscriptions(
  { call, post }: Pick<Harness, 'call' | 'post'>,
  application_id: string,
  keys: Tenant['keys'],
) {
  const register = async () => {
    const path = '/sdk/push/subscriptions'
    const [registration_id, token] = [randomUUID(), randomUUID()]
    const app = { application_id, registration_id, platform: 'android', token }
    const { body } = await post<Registered>(path, app, { key: keys.live_public })
    return body.content
  }
  const { body } = await post<{ identity_token: string }>(
    '/v1/push-sdk/identity-token',
    { application_id, external_user_id: 'customer-1041' },
    { key: keys.live_secret },
  )
  const { body: sent } = await call<{ message_id: string }>({
    method: 'POST',
    path: '/v1/push-sdk/messages',
    key: keys.live_secret,
    headers: { 'idempotency-key': randomUUID() },
    body: { application_id, all: true, title: 'Open on Sunday' },
  })
  const { subscription_id, subscription_secret } = await register()
  const ended = await register()
  const proof = { application_id, subscription_secret }
  const one = 'POST /sdk/push/subscriptions/{subscription_id}'
  return {
    ids: {
      ...Object.fromEntries(
        ['', '/identify', '/logout', '/receipts'].map((path) => [`${one}${path}`, subscription_id]),
      ),
      [`${one}/unsubscribe`]: ended.subscription_id,
      'GET /sdk/push/messages/{message_id}': sent.content.message_id,
    },
    bodies: {
      AppRegistration: {
        application_id,
        registration_id: randomUUID(),
        platform: 'android',
        token: randomUUID(),
      },
      AppRefresh: { ...proof, permission: 'denied' },
      AppIdentification: { ...proof, identity_token: body.content.identity_token },
      AppProof: proof,
      AppEnding: { application_id, subscription_secret: ended.subscription_secret },
      AppReceipts: { ...proof, receipts: [{ message_id: randomUUID(), kind: 'received' }] },
    },
  }
}
