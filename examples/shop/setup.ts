/**
 * Prepares an organization for the sample shop as its owner would in the console: a webhook endpoint and a push
 * application, both for test keys. Returns the environment of the backend.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Identity, issueCertificate } from '../../emulators/certificate.ts'
import { callEmulator, type Emulator } from './phone.ts'

export type Installation = {
  /** Origin of the service. */
  url: string
  org_id: string
  owner: { email: string; password: string }
  keys: { test_secret: string; test_public: string }
  /** Issues the certificate of the receiver, and is trusted by the service. */
  authority: Identity
  fcm: Emulator
}

export type ShopPorts = { shop: number; hooks: number }

const APPLICATION = 'Sample shop'
const PACKAGE = 'com.example.app'
const EVENTS = ['order.fraud.detected', 'profile.risk.changed']
const DEADLINE_MS = 30_000

/** @param folder for the certificate of the receiver */
export async function setUpShop(
  installation: Installation,
  ports: ShopPorts,
  folder: string,
): Promise<Record<string, string>> {
  const { url, org_id, owner, keys, authority, fcm } = installation
  const api = await signIn(url, owner)
  const hook = `https://127.0.0.1:${ports.hooks}/hooks/vigil`
  const endpoints = await api<{ id: string; url: string }[]>('GET', `/v1/webhooks?org_id=${org_id}`)
  for (const { id } of endpoints.filter((each) => each.url === hook)) {
    await api('DELETE', `/v1/webhooks/${id}?org_id=${org_id}`)
  }
  const endpoint = { org_id, url: hook, events: EVENTS, description: APPLICATION }
  const { id, secret } = await api<{ id: string; secret: string }>('POST', '/v1/webhooks', endpoint)
  await api('POST', `/console/api/webhooks/${id}/mode`, { org_id, mode: 'test' })

  const applications = '/console/api/push/applications'
  const known = await api<{ id: string; name: string }[]>('GET', `${applications}?org_id=${org_id}`)
  const application =
    known.find(({ name }) => name === APPLICATION) ??
    (await api<{ id: string }>('POST', applications, {
      org_id,
      name: APPLICATION,
      environment: 'test',
    }))
  const path = `${applications}/${application.id}`
  await api('PUT', `${path}/configuration`, { org_id, android_package_name: PACKAGE })
  const service_account = await callEmulator(fcm, 'GET', 'service-account')
  await api('PUT', `${path}/credentials/fcm`, { org_id, service_account })

  const { cert, key } = issueCertificate(authority, ['127.0.0.1'])
  const files = { TLS_CERT: join(folder, 'hooks.pem'), TLS_KEY: join(folder, 'hooks-key.pem') }
  writeFileSync(files.TLS_CERT, cert)
  writeFileSync(files.TLS_KEY, key, { mode: 0o600 })
  return {
    ...files,
    VIGIL_URL: url,
    VIGIL_SECRET_KEY: keys.test_secret,
    VIGIL_PUBLIC_KEY: keys.test_public,
    VIGIL_WEBHOOK_SECRET: secret,
    VIGIL_APPLICATION_ID: application.id,
    SHOP_PORT: String(ports.shop),
    HOOK_PORT: String(ports.hooks),
  }
}

/** @returns a function that calls operations of the portal and the console as this user */
export async function signIn(url: string, owner: Installation['owner']) {
  const send = async <T>(method: string, path: string, body?: object, token?: string) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const { message, content } = (await response.json()) as { message: string; content: T }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${message}`)
    return content
  }
  const login = '/console/api/auth/login'
  const { access_token } = await send<{ access_token: string }>('POST', login, owner)
  return async <T>(method: string, path: string, body?: object): Promise<T> =>
    await send<T>(method, path, body, access_token)
}
