/** An installation in front of both providers, played by their emulators, and shops that push with it. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { type ApnsEmulator, startApns } from '../../emulators/apns/index.ts'
import { createAuthority } from '../../emulators/certificate.ts'
import { type FcmEmulator, startFcm } from '../../emulators/fcm/index.ts'
import { createPushApp, type PushApp } from '../../emulators/push-app/index.ts'
import type { MessageDetails } from '../../src/modules/push/index.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Log } from '../../src/platform/log.ts'
import { type KeyType, ROLES, type Role } from '../../src/platform/postgres/tables/accounts.ts'
import type { Mode } from '../../src/platform/postgres/tables/platform.ts'
import type { PushProvider } from '../../src/platform/postgres/tables/push.ts'
import { ownDatabase } from '../database.ts'
import { type Answer, type Harness, openHarness, type Request } from '../harness.ts'
import { withoutLimits } from './calls.ts'
import { addPushApplication } from './push-examples.ts'

type PushService = {
  harness: Harness
  /** Where it listens. */
  url: string
  fcm: FcmEmulator['control']
  apns: ApnsEmulator['control']
  sandbox: ApnsEmulator['control']
  createShop(options?: ShopOptions): Promise<Shop>
}

type ShopOptions = {
  /** Another application of the same organisation. */
  beside?: Shop
  environment?: Mode
  /** Stored, and not tested yet. */
  credentials?: readonly PushProvider[]
}

type ServiceOptions = {
  clock?: Clock
  log?: Log
  /** Nothing is expanded or sent otherwise. Default: true. */
  is_running?: boolean
}

export type ConsoleCall = {
  method?: Request['method']
  /** After `/console/api/push`. */
  path: string
  query?: Record<string, string>
  body?: object
  headers?: Record<string, string>
  /** Default: owner. */
  as?: Role
}
export type Sent = { message_id: string; status: string; targeted: number }
type Refusal = { field: string }
type BackendCall = {
  key?: KeyType
  /** By default, one that no other request has; null sends none. */
  idempotency_key?: string | null
}

/** An application of an organisation, and everybody who has to do with it. */
export type Shop = {
  org_id: string
  application_id: string
  configuration_id: string
  keys: Record<KeyType, string>
  tokens: Record<Role, string>
  console<C = Refusal>(asked: ConsoleCall): Promise<Answer<C>>
  /** The content of what has to succeed. */
  content<C>(asked: ConsoleCall): Promise<C>
  /** As the backend of the shop calls. */
  ask<C = Refusal>(path: string, body: unknown, given?: BackendCall): Promise<Answer<C>>
  identityToken(externalUserId: string): Promise<string>
  /** A message of the application that has to be taken. */
  send(body: object, given?: BackendCall): Promise<Sent>
  message(id: string): Promise<MessageDetails>
  /** The message, when there is nothing left to do for it. */
  settled(id: string): Promise<MessageDetails>
  /** The app, installed on a new phone; signed in, when there is a user. */
  install(platform: 'android' | 'ios', externalUserId?: string): Promise<PushApp>
}

const POLL_MS = '50'
const DRAIN_MS = 1000
const PATIENCE = { timeout: 15_000, interval: 20 }

/** For a whole test file, with a database of its own. */
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
    if (!service) throw new Error('the service is only there inside of tests')
    return service
  }
}

type Parts = Omit<PushService, 'createShop'>
type Place = Pick<Shop, 'org_id' | 'application_id' | 'configuration_id' | 'keys' | 'tokens'>

async function createShop(parts: Parts, options: ShopOptions = {}): Promise<Shop> {
  const { beside, environment = 'live', credentials = ['fcm', 'apns'] } = options
  const { org_id, keys, tokens } = beside ?? (await openPlace(parts.harness))
  const application = await addPushApplication(parts.harness, org_id, environment)
  const place: Place = { org_id, keys, tokens, ...application }
  const asking = askAt(parts, place, environment)
  for (const provider of credentials) {
    const path = `/applications/${place.application_id}/credentials/${provider}`
    await asking.content({ method: 'PUT', path, body: uploadOf(parts, provider) })
  }
  return { ...place, ...asking, ...workAt(parts, place, asking) }
}

async function openPlace({ createTenant, signIn }: Harness) {
  const { org_id, keys } = await createTenant()
  const signed = ROLES.map(async (role) => [role, await signIn(org_id, role)] as const)
  const tokens = Object.fromEntries(await Promise.all(signed)) as Record<Role, string>
  return { org_id, keys, tokens }
}

/** What an operator has got from the provider. */
export function uploadOf(
  { fcm, apns }: Pick<PushService, 'fcm' | 'apns'>,
  provider: PushProvider,
): object {
  if (provider === 'fcm') return { service_account: fcm.serviceAccount() }
  const { private_key: key, key_id, team_id } = apns.signingKey()
  return { key, key_id, team_id }
}

type Asking = Pick<Shop, 'console' | 'content' | 'ask'>

function askAt({ harness }: Parts, { org_id, keys, tokens }: Place, mode: Mode): Asking {
  const atConsole = async <C>(asked: ConsoleCall) => {
    const { method = 'GET', path, query = {}, body, headers = {}, as = 'owner' } = asked
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
    content: async <C>(asked: ConsoleCall): Promise<C> => {
      const { status, body } = await atConsole<C>(asked)
      if (status !== 200) throw new Error(`${asked.path} answered ${status}: ${body.message}`)
      return body.content
    },
    ask: async <C>(path: string, body: unknown, { key, idempotency_key }: BackendCall = {}) => {
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

type Work = Pick<Shop, 'identityToken' | 'send' | 'message' | 'settled' | 'install'>

function workAt(parts: Parts, place: Place, { ask, content }: Asking): Work {
  const { application_id, org_id, tokens } = place
  const succeed = async <C>(path: string, body: object, given?: BackendCall): Promise<C> => {
    const { status, body: answer } = await ask<C>(path, { application_id, ...body }, given)
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
