/** Request bodies with which the push operations succeed. */
import type { Mode } from '../../src/platform/owner.ts'
import type { Harness } from '../harness.ts'

/** Adds an application that is configured for both providers. */
export async function addPushApplication(
  { services }: Pick<Harness, 'services'>,
  org_id: string,
  environment: Mode = 'live',
): Promise<{ application_id: string; configuration_id: string }> {
  const { applications, configurations } = services.push
  const { id: application_id } = await applications.create({
    org_id,
    type: 'flutter',
    environment,
    name: 'Shop',
  })
  const stored = await configurations.set({
    org_id,
    application_id,
    android_package_name: 'com.example.app',
    ios_bundle_id: 'com.example.app',
  })
  return { application_id, configuration_id: stored?.id ?? '' }
}

/** Bodies that together use all fields; none for operations outside of push. */
export async function pushBodiesThatSucceed(
  harness: Pick<Harness, 'services'>,
  name: string,
  org_id: string,
): Promise<object[]> {
  if (name === 'POST /sdk/push/subscriptions') return [await appRegistration(harness, org_id)]
  if (!name.startsWith('POST /push-sdk/')) return []
  const { application_id, configuration_id } = await addPushApplication(harness, org_id)
  switch (name) {
    case 'POST /push-sdk/identity-token':
      return [{ application_id, external_user_id: 'customer-1041' }]
    case 'POST /push-sdk/messages':
      return [
        { application_id, external_user_ids: ['customer-1041'], ...CONTENT },
        { push_configuration_id: configuration_id, subscription_ids: [application_id], ...CONTENT },
        { application_id, all: true, ...CONTENT },
      ]
    default:
      throw new Error(`${name} has no example body`)
  }
}

const CONTENT = {
  title: 'Your order is on its way',
  body: 'It will be there between 14:00 and 15:00.',
  data: { order_id: '8841' },
  image: 'https://img.example/1.png',
  deep_link: 'shop://orders/8841',
  ttl_seconds: 3600,
  collapse_key: 'order-8841',
  priority: 'normal',
  badge: 1,
  sound: 'default',
  channel_id: 'orders',
  send_at: '2026-03-01T12:00:00.000Z',
}

/** A registration with all fields, of an app in a new application. */
async function appRegistration(harness: Pick<Harness, 'services'>, org_id: string) {
  const { application_id } = await addPushApplication(harness, org_id)
  return {
    application_id,
    registration_id: '5b0c9a3e-4f1d-4c27-9e6a-2d7f10b3c845',
    platform: 'android',
    token: 'cJk3vT0PQ8:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx',
    permission: 'granted',
    locale: 'de-CH',
    app_version: '2.1.0',
    time_zone: 'Europe/Zurich',
  }
}
