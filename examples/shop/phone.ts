/** A customer's phone: the app of the shop with the push client, on a phone of the FCM emulator. */
import { request } from 'node:https'
import { json } from 'node:stream/consumers'
// In a project of your own: from '@vigil/push'.
import { createPush } from '../../sdk/push-js/src/index.ts'

export type Emulator = { url: string; ca: string }
type PhoneView = { id: string; token: string; received: number; last: Delivery[] }
type Delivery = { body: { notification?: { title?: string } } }
type Options = { shop: string; email: string; environment: Record<string, string>; fcm: Emulator }

/** Signs in to the shop and registers for push messages. @returns undefined before the customer has signed up */
export async function startPhone({ shop, email, environment, fcm }: Options) {
  const signedIn = await fetch(`${shop}/sign-in`, {
    method: 'POST',
    body: JSON.stringify({ email }),
  })
  if (!signedIn.ok) return undefined
  const { id } = (await signedIn.json()) as { id: string }
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
  const phone = await callEmulator<PhoneView>(fcm, 'POST', 'phones', {})
  const values = new Map<string, string>()
  const push = createPush({
    service_url: environment['VIGIL_URL'] ?? '',
    api_key: environment['VIGIL_PUBLIC_KEY'] ?? '',
    application_id: environment['VIGIL_APPLICATION_ID'] ?? '',
    platform: 'android',
    storage: {
      getItem: async (key) => await Promise.resolve(values.get(key) ?? null),
      setItem: async (key, value) => await Promise.resolve(values.set(key, value)),
    },
    identity_token: async () => {
      const answer = await fetch(`${shop}/push-identity`, { method: 'POST', headers: { cookie } })
      if (!answer.ok) throw new Error(`push-identity: ${answer.status}`)
      return ((await answer.json()) as { identity_token: string }).identity_token
    },
    on_problem: (problem) => console.warn(problem),
  })
  await push.update({ token: phone.token, permission: 'granted' })
  await push.identify(id)
  return {
    /** Titles of the last notifications, oldest first. */
    notifications: async (): Promise<string[]> => {
      const { last } = await callEmulator<PhoneView>(fcm, 'GET', `phones/${phone.id}`)
      return last.map(({ body }) => body.notification?.title ?? '')
    },
    close: () => {
      push.close()
    },
  }
}

export async function callEmulator<T>(
  { url, ca }: Emulator,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const sent = request(`${url}/control/${path}`, { method, ca }, (response) => {
      const isFound = response.statusCode === 200
      json(response).then(
        (content) => (isFound ? resolve(content as T) : reject(new Error(JSON.stringify(content)))),
        reject,
      )
    })
    sent.on('error', reject).end(body && JSON.stringify(body))
  })
}
