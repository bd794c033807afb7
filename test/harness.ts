/**
 * Boots the real application (app.ts) on the shared test database, with a look-up world that each
 * test scripts through the emulators. Tests keep apart by making organisations of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type DnsEmulator, startDns } from '../emulators/dns.ts'
import { type RdapEmulator, startRdap } from '../emulators/rdap.ts'
import { createHttp, createServices, type Services } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { CheckResult } from '../src/modules/checks/schema.ts'
import type { Clock } from '../src/platform/clock.ts'
import { readMasterKeys } from '../src/platform/crypto/master-key.ts'
import { createSealer } from '../src/platform/crypto/sealed.ts'
import type { App } from '../src/platform/http/app.ts'
import { createIds } from '../src/platform/ids.ts'
import { createLog, type Log } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import type { KeyType, Plan, Role } from '../src/platform/postgres/tables/accounts.ts'
import { openAnalyticsOf, type Stores } from '../src/stores.ts'

/** The same on every node of the test run, as it must be on one database. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

/** The times of test data are any. */
const TEST_RETENTION_DAYS = '3650'

export type Tenant = { org_id: string; keys: Record<KeyType, string> }

/** Details of an error, as far as there are any. */
type ErrorContent = { field: string; retry_after: number }

/** The body as the test expects it; what is really in it, the test finds out. */
export type Answer<Content = CheckResult & ErrorContent> = {
  status: number
  headers: Record<string, unknown>
  body: { success: boolean; message: string; code?: string; content: Content }
}

export type Request = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  path: string
  key?: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

export type Harness = {
  app: App
  stores: Stores
  services: Services
  config: Config
  dns: DnsEmulator
  rdap: RdapEmulator
  createTenant(plan?: Plan): Promise<Tenant>
  /** A user of the organisation, signed in. @returns the access token */
  signIn(orgId: string, role?: Role): Promise<string>
  call<Content = CheckResult & ErrorContent>(request: Request): Promise<Answer<Content>>
  close(): Promise<void>
}

export type HarnessOptions = {
  settings?: Record<string, string>
  clock?: Clock
  /** A database of the file's own, for what concerns all organisations at once. */
  db?: Database
  /** Default: silence. */
  log?: Log
  /** The authority of the emulators that the settings name as providers of push. */
  push_ca?: string
  /** The authority of receivers of webhooks. */
  webhook_ca?: string
  /** Where device management finds its emulator. */
  trialUrl?: () => Promise<string | undefined>
  /** Folder of the built console. */
  pages?: string
}

/** For a whole test file: opened before its tests and closed after them. */
export function useHarness(options: HarnessOptions = {}): () => Harness {
  let harness: Harness | undefined
  beforeAll(async () => {
    harness = await openHarness(options)
  })
  afterAll(async () => await harness?.close())
  return () => {
    if (!harness) throw new Error('the harness is only there inside of tests')
    return harness
  }
}

export async function openHarness({
  settings = {},
  clock,
  db,
  log,
  push_ca,
  webhook_ca,
  trialUrl,
  pages,
}: HarnessOptions = {}): Promise<Harness> {
  const dns = await startDns({ scenario: { names: {} } })
  const rdap = await startRdap({ scenario: { suffixes: ['test', 'example'], domains: {} } })
  const config = readConfig({
    VIGIL_DNS_SERVERS: dns.address,
    VIGIL_RDAP_BOOTSTRAP_URL: rdap.bootstrap_url,
    VIGIL_WHOIS_SERVER: rdap.whois.address,
    VIGIL_MASTER_KEY: TEST_MASTER_KEY,
    CLICKHOUSE_URL: testEngineUrl(),
    VIGIL_EDGE_RETENTION_DAYS: TEST_RETENTION_DAYS,
    ...settings,
  })
  const stores = testStores(config, { clock, db, log })
  const services = await createServices(stores, config, { push_ca, webhook_ca, trialUrl })
  const { app, close } = await createHttp(stores, services, config, { pages })
  return {
    app,
    stores,
    services,
    config,
    dns,
    rdap,
    createTenant: (plan = 'starter') => createTenant(services, plan),
    signIn: (orgId, role = 'owner') =>
      signIn(services, stores.newId(stores.clock.now()), orgId, role),
    call: async <Content>({ method, path, key, token, body, headers }: Request) => {
      const answer = await app.inject({
        method,
        url: path,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      const isJson = String(answer.headers['content-type']).includes('application/json')
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: (isJson ? JSON.parse(answer.body) : answer.body) as Answer<Content>['body'],
      }
    },
    close: async () => {
      await close()
      await stores.close()
      await dns.close()
      await rdap.close()
    },
  }
}

export async function createTenant(services: Services, plan: Plan = 'starter'): Promise<Tenant> {
  const { id: org_id } = await services.accounts.createOrganization({ name: 'Test shop', plan })
  const make = async (type: KeyType) => (await services.keys.create(org_id, type))?.key ?? ''
  return {
    org_id,
    keys: {
      live_secret: await make('live_secret'),
      test_secret: await make('test_secret'),
      live_public: await make('live_public'),
      test_public: await make('test_public'),
    },
  }
}

async function signIn(
  { accounts }: Services,
  name: string,
  orgId: string,
  role: Role,
): Promise<string> {
  const email = `${name}@vigil.test`
  const user = await accounts.createUser({ email })
  if ('refused' in user) throw new Error(`no user: ${user.refused}`)
  await accounts.setMember(orgId, user.user_id, role)
  const tokens = await accounts.issueTokens(email)
  if (!tokens) throw new Error('no token')
  return tokens.access_token
}

function testStores(
  config: Config,
  {
    clock = { now: () => new Date() },
    db: own,
    log = createLog('silent'),
  }: { clock?: Clock | undefined; db?: Database | undefined; log?: Log | undefined },
): Stores {
  const data_dir = mkdtempSync(join(tmpdir(), 'vigil-harness-'))
  const shared = () =>
    openDatabase({
      server: inject('postgres'),
      pool_size: 6,
      prepared_statements: true,
      log,
    })
  const db = own ?? shared()
  const newId = createIds()
  const analytics = openAnalyticsOf(config, { data_dir, log, progress: () => undefined })
  const masterKeys = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir })
  return {
    db,
    data_dir,
    masterKeys,
    sealer: createSealer({ db, masterKeys, newId, clock }),
    clock,
    newId,
    log,
    analytics,
    migrated: [],
    close: async () => {
      await analytics.close()
      if (!own) await db.destroy()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}

/** The engine that all test files share, as an operator names it. */
function testEngineUrl(): string {
  const { url, username, password, database } = inject('clickhouse')
  const address = new URL(`/${database}`, url)
  address.username = username
  address.password = password
  return address.href
}
