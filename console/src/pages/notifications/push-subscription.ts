/** The subscription of this browser. Each organization has one, because its worker has a separate scope. */

export type Subscription = { endpoint: string; p256dh: string; auth: string }

export type Support = 'yes' | 'no' | 'denied'

export function supportOf(): Support {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return 'no'
  return Notification.permission === 'denied' ? 'denied' : 'yes'
}

/** Requests the permission of the person, and replaces an earlier subscription. @throws Error with the reason */
export async function subscribe(orgId: string, publicKey: string): Promise<Subscription> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('The browser does not allow notifications of this site.')
  }
  const registration = await navigator.serviceWorker.register(workerAddress(), {
    scope: scopeOf(orgId),
  })
  await untilActive(registration)
  await (await registration.pushManager.getSubscription())?.unsubscribe()
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint, keys = {} } = subscription.toJSON()
  return { endpoint: endpoint ?? '', p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' }
}

export async function unsubscribe(orgId: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(scopeOf(orgId))
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  await registration?.unregister()
}

/** @returns the hash by which the service lists this browser */
export async function ownHash(orgId: string): Promise<string | undefined> {
  if (supportOf() === 'no') return undefined
  const registration = await navigator.serviceWorker.getRegistration(scopeOf(orgId))
  const subscription = await registration?.pushManager.getSubscription()
  if (!subscription) return undefined
  const bytes = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(subscription.endpoint),
  )
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const scopeOf = (orgId: string): string => `/console/o/${orgId}`

const WORKER = '/console/worker.js'

type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: () => string },
  ) => { createScriptURL: (text: string) => string }
}

let policy: ReturnType<Policies['createPolicy']> | undefined

/** The policy of the pages allows this address alone. */
function workerAddress(): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: Policies }
  policy ??= trustedTypes?.createPolicy('vigil-worker', { createScriptURL: () => WORKER })
  return policy?.createScriptURL(WORKER) ?? WORKER
}

async function untilActive(registration: ServiceWorkerRegistration): Promise<void> {
  const worker = registration.installing ?? registration.waiting
  if (!worker || registration.active) return
  await new Promise<void>((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve()
    })
  })
}

/** "Firefox on Android", for the list of browsers. */
export function browserName(agent: string): string {
  const found = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(agent))?.[1]
  return `${found(BROWSERS) ?? 'Browser'} on ${found(SYSTEMS) ?? 'another system'}`
}

const BROWSERS = [
  [/Edg/, 'Edge'],
  [/Firefox/, 'Firefox'],
  [/Chrom/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
] as const
