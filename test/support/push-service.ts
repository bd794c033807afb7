/** An installation connected to emulators of both providers, and shops that send push messages. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { type ApnsEmulator, startApns } from '../../emulators/apns/index.ts'
import { createAuthority } from '../../emulators/certificate.ts'
import { type FcmEmulator, startFcm } from '../../emulators/fcm/index.ts'
import { createPushApp, type PushApp } from '../../emulators/push-app/index.ts'
import type { Role } from '../../src/modules/accounts/tables.ts'
import type { KeyType } from '../../src/modules/keys/tables.ts'
import type { MessageDetails } from '../../src/modules/push/index.ts'
import type { PushProvider } from '../../src/modules/push/tables.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Log } from '../../src/platform/log.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { ownDatabase } from '../database.ts'
import { type Answer, type Harness, openHarness, type Request } from '../harness.ts'
import { withoutLimits } from './calls.ts'
import { createPeople } from './people.ts'
import { addPushApplication } from './push-examples.ts'

type PushService = {
  harness: Harness
  /** URL of the service. */
  url: string
  fcm: FcmEmulator['control']
  apns: ApnsEmulator['control']
  sandbox: ApnsEmulator['control']
  createShop(options?: ShopOptions): Promise<Shop>
}

type ShopOptions = {
  /** Creates the application in the organization of this shop. */
  sibling?: Shop
  environment?: Mode
  /** Credentials to store, without testing them. */
  credentials?: readonly PushProvider[]
}

type ServiceOptions = {
  clock?: Clock
  log?: Log
  /** Whether messages are expanded and sent; default: true. */
  is_running?: boolean
}

export type ConsoleCall = {
  method?: Request['method']
  /** Path below `/console/api/push`. */
  path: string
  query?: Record<string, string>
  body?: object
  headers?: Record<string, string>
  /** Default: owner. */
  as?: Role
}
export const post = (path: string, body: object): ConsoleCall => ({ method: 'POST', path, body })

export type Sent = { message_id: string; status: string; targeted: number }
type Refusal = { field: string }
type BackendCall = {
  key?: KeyType
  /** Default: a unique key; null sends none. */
  idempotency_key?: string | null
}

/** An application with its API keys, members and phones. */
export type Shop = {
  org_id: string
  application_id: string
  configuration_id: string
  keys: Record<KeyType, string>
  tokens: Record<Role, string>
  console<C = Refusal>(call: ConsoleCall): Promise<Answer<C>>
  /** Calls the console and returns the content; throws unless the call succeeds. */
  content<C>(call: ConsoleCall): Promise<C>
  /** Calls the documented API as the backend of the shop. */
  callApi<C = Refusal>(path: string, body: unknown, given?: BackendCall): Promise<Answer<C>>
  identityToken(externalUserId: string): Promise<string>
  /** Sends a message; throws unless it is accepted. */
  send(body: object, given?: BackendCall): Promise<Sent>
  message(id: string): Promise<MessageDetails>
  /** Waits until the message has ended. */
  settled(id: string): Promise<MessageDetails>
  /** Installs the app on a new phone and signs in the user, if given. */
  install(platform: 'android' | 'ios', externalUserId?: string): Promise<PushApp>
}

const POLL_MS = '50'
const DRAIN_MS = 1000
const PATIENCE = { timeout: 15_000, interval: 20 }

/** One service for a test file, with its own database. */
export function usePushService(options: ServiceOptions = {}): () => PushService {
  const db = ownDatabase()
  let service: (PushService & { close(): Promise<void> }) | undefined
  beforeAll(async () => {
    const authority = createAuthority()
    const fcm = await startFcm({ port: 0, authority })
    const apns = await startApns({ port: 0, authority, environment: 'production' })
    const keys = [apns.control.signingKey()]
    const sandbox = await startApns({ port: 0, authority, environment: 'sandbox', keys })
    const { is_running = true, ...given } = options
    const harness = await openHarness({
      ...given,
      db,
      push_ca: authority.cert,
      settings: {
        ...withoutLimits(),
        VIGIL_FCM_URL: fcm.url,
        VIGIL_FCM_TOKEN_URL: fcm.token_url,
        VIGIL_APNS_URL: apns.url,
        VIGIL_APNS_SANDBOX_URL: sandbox.url,
        VIGIL_PUSH_POLL_MS: POLL_MS,
      },
    })
    const { running } = harness.services.push
    if (is_running) for (const each of running) each.start()
    const emulators = { fcm: fcm.control, apns: apns.control, sandbox: sandbox.control }
    const parts = {
      harness,
      ...emulators,
      url: await harness.app.listen({ host: '127.0.0.1', port: 0 }),
    }
    service = {
      ...parts,
      createShop: async (shop) => await createShop(parts, shop),
      close: async () => {
        await Promise.all(running.map(async (each) => await each.stop(DRAIN_MS)))
        await harness.close()
        await Promise.all([fcm.close(), apns.close(), sandbox.close()])
      },
    }
  })
  afterAll(async () => await service?.close())
  return () => {
    if (!service) throw new Error('the service is available only inside tests')
    return service
  }
}

type Parts = Omit<PushService, 'createShop'>
type ShopIds = Pick<Shop, 'org_id' | 'application_id' | 'configuration_id' | 'keys' | 'tokens'>

async function createShop(parts: Parts, options: ShopOptions = {}): Promise<Shop> {
  const { sibling, environment = 'live', credentials = ['fcm', 'apns'] } = options
  const { org_id, keys, tokens } = sibling ?? (await openOrganization(parts.harness))
  const application = await addPushApplication(parts.harness, org_id, environment)
  const ids: ShopIds = { org_id, keys, tokens, ...application }
  const callers = callersOf(parts, ids, environment)
  for (const provider of credentials) {
    const path = `/applications/${ids.application_id}/credentials/${provider}`
    await callers.content({ method: 'PUT', path, body: uploadOf(parts, provider) })
  }
  return { ...ids, ...callers, ...actionsOf(parts, ids, callers) }
}

async function openOrganization(harness: Harness) {
  const tenant = await harness.createTenant()
  const { tokens } = await createPeople(harness, tenant.org_id)
  return { ...tenant, tokens }
}

/** Credential as downloaded from the provider. */
export function uploadOf(
  { fcm, apns }: Pick<PushService, 'fcm' | 'apns'>,
  provider: PushProvider,
): object {
  if (provider === 'fcm') return { service_account: fcm.serviceAccount() }
  const { private_key: key, key_id, team_id } = apns.signingKey()
  return { key, key_id, team_id }
}

type Callers = Pick<Shop, 'console' | 'content' | 'callApi'>

function callersOf({ harness }: Parts, { org_id, keys, tokens }: ShopIds, mode: Mode): Callers {
  const atConsole = async <C>(call: ConsoleCall) => {
    const { method = 'GET', path, query = {}, body, headers = {}, as = 'owner' } = call
    const hasBody = method !== 'GET' && method !== 'DELETE'
    const search = new URLSearchParams({ ...(!hasBody && { org_id }), ...query }).toString()
    return await harness.call<C>({
      method,
      path: `/console/api/push${path}${search === '' ? '' : `?${search}`}`,
      token: tokens[as],
      headers,
      ...(hasBody && { body: { org_id, ...body } }),
    })
  }
  return {
    console: atConsole,
    content: async <C>(call: ConsoleCall): Promise<C> => {
      const { status, body } = await atConsole<C>(call)
      if (status !== 200) throw new Error(`${call.path} answered ${status}: ${body.message}`)
      return body.content
    },
    callApi: async <C>(path: string, body: unknown, { key, idempotency_key }: BackendCall = {}) => {
      const idempotency = idempotency_key === undefined ? randomUUID() : idempotency_key
      return await harness.call<C>({
        method: 'POST',
        path: `/v1/push-sdk${path}`,
        key: keys[key ?? `${mode}_secret`],
        body,
        headers: idempotency === null ? {} : { 'idempotency-key': idempotency },
      })
    },
  }
}

type Actions = Pick<Shop, 'identityToken' | 'send' | 'message' | 'settled' | 'install'>

function actionsOf(parts: Parts, ids: ShopIds, { callApi, content }: Callers): Actions {
  const { application_id, org_id, tokens } = ids
  const succeed = async <C>(path: string, body: object, given?: BackendCall): Promise<C> => {
    const { status, body: answer } = await callApi<C>(path, { application_id, ...body }, given)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${answer.message}`)
    return answer.content
  }
  const identityToken = async (external_user_id: string) =>
    (await succeed<{ identity_token: string }>('/identity-token', { external_user_id }))
      .identity_token
  const message = async (id: string) => await content<MessageDetails>({ path: `/messages/${id}` })
  return {
    identityToken,
    send: async (body, given) => await succeed('/messages', { title: 'Hello', ...body }, given),
    message,
    settled: async (id) =>
      await vi.waitFor(async () => {
        const found = await message(id)
        if (found.completed_at === null) throw new Error(`${id} is ${found.status}`)
        return found
      }, PATIENCE),
    install: async (platform, user) => {
      const app = createPushApp({
        service_url: parts.url,
        access_token: tokens.owner,
        org_id,
        application_id,
        phone:
          platform === 'android'
            ? { platform, control: parts.fcm }
            : { platform, control: parts.apns },
      })
      await app.install()
      if (user !== undefined) await app.signIn(await identityToken(user))
      return app
    },
  }
}
