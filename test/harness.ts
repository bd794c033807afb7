/**
 * Starts the real application on the database of the test run. Tests script the results of look-ups
 * through the emulators, and are isolated by creating their own organizations.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { type DnsEmulator, startDns } from '../emulators/dns.ts'
import { type RdapEmulator, startRdap } from '../emulators/rdap.ts'
import { isSplit, migrationsOf } from '../scripts/engines/engines.ts'
import { givenCluster } from '../scripts/engines/given-clickhouse.ts'
import { CELL_SCHEMA, DIRECTORY_SCHEMA } from '../scripts/engines/split-directory.ts'
import { openCells } from '../src/app/cells.ts'
import {
  type Core,
  createHttp,
  createParts,
  openCore,
  type Parts,
  type Services,
  servicesOf,
} from '../src/app/index.ts'
import { openAnalyticsOf, type Stores } from '../src/app/stores.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Plan, Role } from '../src/modules/accounts/tables.ts'
import type { CheckResult } from '../src/modules/checks/schema.ts'
import { applyDirectoryChanges } from '../src/modules/directory/index.ts'
import type { KeyType } from '../src/modules/keys/tables.ts'
import type { Clock } from '../src/platform/clock.ts'
import { readMasterKeys } from '../src/platform/crypto/master-key.ts'
import { createSealer } from '../src/platform/crypto/sealed.ts'
import type { App } from '../src/platform/http/app.ts'
import { createIds } from '../src/platform/ids.ts'
import { createLog, type Log } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import { createDatabaseWatch } from '../src/platform/postgres/watch.ts'
import { clickhouseAddress, postgresAddress } from './database.ts'
import { createQuickPasswords } from './support/quick-passwords.ts'

/** All nodes on one database need the same master key. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

/** Test data can be dated years back and must not expire. */
const TEST_RETENTION_DAYS = '3650'

export type Tenant = { org_id: string; keys: Record<KeyType, string> }

/** Details of an error, of which each error has some. */
type ErrorContent = { field: string; retry_after: number }

/** The body has the type that the test expects. Only the assertions of the test check it. */
export type Answer<Content = CheckResult & ErrorContent> = {
  status: number
  headers: Record<string, unknown>
  body: { success: boolean; message: string; code?: string; content: Content }
}

type Credential = { key?: string; token?: string }

export type Request = Credential & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type Harness = {
  app: App
  stores: Stores
  core: Core
  parts: Parts
  services: Services
  config: Config
  dns: DnsEmulator
  rdap: RdapEmulator
  createTenant(plan?: Plan): Promise<Tenant>
  /** Creates a user of the organization and signs it in. @returns the access token */
  signIn(orgId: string, role?: Role): Promise<string>
  call<Content = CheckResult & ErrorContent>(request: Request): Promise<Answer<Content>>
  /** Applies what transactions have caused in a directory that is apart, as a job does every second. */
  applyChanges(): Promise<void>
  get<Content = CheckResult & ErrorContent>(path: string, as: Credential): Promise<Answer<Content>>
  post<Content = CheckResult & ErrorContent>(
    path: string,
    body: unknown,
    as: Credential,
  ): Promise<Answer<Content>>
  close(): Promise<void>
}

export type HarnessOptions = {
  settings?: Record<string, string>
  clock?: Clock
  /** For tests that affect all organizations: {@link ownDatabase}. */
  db?: Database
  /** Logs nothing by default. */
  log?: Log
  /** Certificate authority of the push emulators that the settings name. */
  push_ca?: string
  /** Certificate authority of webhook receivers. */
  webhook_ca?: string
  /** Address of the emulator that device management uses. */
  trialUrl?: () => Promise<string | undefined>
  /** Folder of the built console. */
  pages?: string
}

/** Opens a harness before the tests of a file and closes it after them. */
export function useHarness(options: HarnessOptions = {}): () => Harness {
  let harness: Harness | undefined
  beforeAll(async () => {
    harness = await openHarness(options)
  })
  afterAll(async () => await harness?.close())
  return () => {
    if (!harness) throw new Error('the harness exists only while tests run')
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
    ...testEngineSettings(),
    VIGIL_EDGE_RETENTION_DAYS: TEST_RETENTION_DAYS,
    ...settings,
  })
  const stores = await testStores(config, { clock, db, log })
  const core = await openCore(stores, config, {
    push_ca,
    webhook_ca,
    trialUrl,
    pages,
    passwords: createQuickPasswords(),
  })
  const parts = await createParts(core)
  const services = servicesOf(parts)
  const { app, close } = await createHttp(core, parts)
  const applyChanges = async () => {
    if (stores.db !== stores.directory) await applyDirectoryChanges(stores.db, stores.directory)
  }
  const call = async <Content>({ method, path, key, token, body, headers }: Request) => {
    await applyChanges()
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
    await applyChanges()
    const isJson = String(answer.headers['content-type']).includes('application/json')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: (isJson ? JSON.parse(answer.body) : answer.body) as Answer<Content>['body'],
    }
  }
  return {
    app,
    core,
    parts,
    stores: { ...stores, db: stores.all },
    services,
    config,
    dns,
    rdap,
    createTenant: (plan = 'starter') => createTenant(services, plan),
    signIn: (orgId, role = 'owner') =>
      signIn(services, stores.newId(stores.clock.now()), orgId, role),
    call,
    applyChanges,
    get: async (path, as) => await call({ method: 'GET', path, ...as }),
    post: async (path, body, as) => await call({ method: 'POST', path, body, ...as }),
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
  const tokens = await accounts.issueTokens(user.user_id)
  if (!tokens) throw new Error('no token')
  return tokens.access_token
}

async function testStores(
  config: Config,
  {
    clock = { now: () => new Date() },
    db: own,
    log = createLog('silent'),
  }: { clock?: Clock | undefined; db?: Database | undefined; log?: Log | undefined },
): Promise<Stores & { all: Database }> {
  const data_dir = mkdtempSync(join(tmpdir(), 'vigil-harness-'))
  const database_watch = createDatabaseWatch()
  const open = (database: string, schema?: string) =>
    openDatabase({
      server: { ...postgresAddress(), database },
      pool_size: 6,
      prepared_statements: true,
      log,
      watch: database_watch,
      schema,
    })
  const name = own ? await nameOf(own) : postgresAddress().database
  const isApart = isSplit() && !(own && (await isWhole(own)))
  const db = isApart ? open(name, CELL_SCHEMA) : (own ?? open(name))
  const directory = isApart ? open(name, DIRECTORY_SCHEMA) : db
  // Tests look at all tables.
  const all = isApart ? (own ?? open(name)) : db
  const newId = createIds()
  const masterKeys = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir })
  const sealer = createSealer({ db: directory, masterKeys, newId, clock })
  const migrations = migrationsOf('postgres')
  const opening = {
    config,
    directory,
    server: { ...postgresAddress(), database: name },
    sealer,
    log,
  }
  const cells = await openCells({ ...opening, migrations, migrates: true })
  const analytics = openAnalyticsOf(config, { data_dir, log, progress: () => undefined })
  return {
    directory,
    db,
    server: postgresAddress(),
    all,
    cells,
    database_watch,
    data_dir,
    masterKeys,
    sealer,
    clock,
    newId,
    log,
    analytics,
    migrated: [],
    close: async () => {
      await analytics.close()
      await Promise.all(cells.map(async (cell) => await cell.close()))
      for (const opened of new Set([db, directory, all])) {
        if (opened !== own) await opened.destroy()
      }
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}

async function isWhole(db: Database): Promise<boolean> {
  const { rows } = await sql`select where to_regnamespace(${CELL_SCHEMA}) is null`.execute(db)
  return rows.length === 1
}

async function nameOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return rows[0]?.name ?? ''
}

/** Settings of a service that uses the shared ClickHouse. */
export function testEngineSettings(): {
  CLICKHOUSE_URL: string
  VIGIL_CLICKHOUSE_CLUSTER?: string
} {
  const { url, username, password, database } = clickhouseAddress()
  const address = new URL(`/${database}`, url)
  address.username = username
  address.password = password
  const cluster = givenCluster()
  return { CLICKHOUSE_URL: address.href, ...(cluster && { VIGIL_CLICKHOUSE_CLUSTER: cluster }) }
}
