/** Applications of an organization, and the push services of one process. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createPushIdentity, type PushIdentity } from '../../src/modules/push/identity/service.ts'
import { createReceipts, type Receipts } from '../../src/modules/push/receipts/service.ts'
import {
  createSubscriptions,
  type Subscriptions,
} from '../../src/modules/push/subscriptions/service.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../src/modules/push/tables.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { readMasterKeys } from '../../src/platform/crypto/master-key.ts'
import { createSealer } from '../../src/platform/crypto/sealed.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import type { Mode } from '../../src/platform/owner.ts'
import type { Database, Db } from '../../src/platform/postgres/db.ts'
import { TEST_MASTER_KEY } from '../harness.ts'

/** Push services of one process. */
export type PushNode = {
  identity: PushIdentity
  subscriptions: Subscriptions
  receipts: Receipts
}

export type TestClock = Clock & { advance(ms: number): void }

export const createTestClock = (): TestClock => {
  let offset_ms = 0
  return {
    now: () => new Date(Date.now() + offset_ms),
    advance: (ms) => {
      offset_ms += ms
    },
  }
}

/** Dependencies of a node. */
export const nodeParts = (db: Database, clock: Clock, log: Log = createLog('silent')) => {
  const newId = createIds()
  const masterKeys = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir: '' })
  const sealer = createSealer({ db, masterKeys, newId, clock })
  return { directory: db, db, clock, newId, sealer, log, key_days: 30 }
}

export function createPushNode(db: Database, clock: Clock = createTestClock()): PushNode {
  const parts = nodeParts(db, clock)
  const identity = createPushIdentity(parts)
  return {
    identity,
    subscriptions: createSubscriptions({ ...parts, identity }),
    receipts: createReceipts(parts),
  }
}

/** Names of the test app at the providers. */
export const PACKAGE_NAME = 'com.example.app'
export const BUNDLE_ID = 'com.example.app'

export type TestApplication = {
  org_id: string
  application_id: string
  configuration_id: string
  environment: Mode
}

/**
 * @param options.org_id default: a new organization
 * @param options.configured providers for which the app has a name; default: both
 * @param options.credentials providers for which an unreadable credential is stored; default: both
 */
export async function addApplication(
  db: Db,
  options: {
    org_id?: string
    environment?: Mode
    configured?: readonly PushProvider[]
    credentials?: readonly PushProvider[]
  } = {},
): Promise<TestApplication> {
  const { org_id = randomUUID(), environment = 'live' } = options
  const { configured = PUSH_PROVIDERS, credentials = PUSH_PROVIDERS } = options
  const [application_id, configuration_id] = [randomUUID(), randomUUID()]
  await sql`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    values (${org_id}, ${application_id}, 'flutter', ${environment}, 'Shop', now(), now())`.execute(
    db,
  )
  if (configured.length > 0) {
    await sql`
      insert into push_configurations (application_id, org_id, id, android_package_name,
        ios_bundle_id, created_at, updated_at)
      values (${application_id}, ${org_id}, ${configuration_id},
        ${configured.includes('fcm') ? PACKAGE_NAME : null},
        ${configured.includes('apns') ? BUNDLE_ID : null}, now(), now())`.execute(db)
  }
  for (const provider of credentials) {
    await sql`
      insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
        stored_at)
      values (${application_id}, ${provider}, ${org_id}, ${randomUUID()}, 'sealed', '{}', 'active',
        now())`.execute(db)
  }
  return { org_id, application_id, configuration_id, environment }
}

export const newFcmToken = (): string =>
  `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`

export const newApnsToken = (): string => randomBytes(32).toString('hex')

/** Adds a message that was accepted for each of these subscriptions. @returns its id */
export async function addSentMessage(
  db: Database,
  { org_id, application_id }: TestApplication,
  subscriptionIds: readonly string[],
  provider: PushProvider = 'fcm',
): Promise<string> {
  const id: string = randomUUID()
  const now = new Date()
  const counts = { targeted: subscriptionIds.length, recipients: subscriptionIds.length }
  await db
    .insertInto('push_messages')
    .values({
      id,
      org_id,
      application_id,
      target: 'all',
      target_ids: [],
      content: { title: 'Hello' },
      status: 'sent',
      send_at: now,
      give_up_at: now,
      ...counts,
      accepted: subscriptionIds.length,
      created_at: now,
      completed_at: now,
    })
    .execute()
  await sql`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, permission, created_at, updated_at)
    select ${application_id}, s, ${org_id}, ${provider}, 'token', gen_random_uuid(), now(),
      'granted', now(), now()
    from unnest(${[...subscriptionIds]}::uuid[]) s on conflict do nothing`.execute(db)
  await sql`
    insert into push_recipients (org_id, message_id, provider, subscription_id, status, settled_at)
    select ${org_id}::uuid, ${id}::uuid, ${provider}, s, 'accepted', now()
    from unnest(${[...subscriptionIds]}::uuid[]) s`.execute(db)
  return id
}

/** Numbers of receipts of a message. */
export async function receiptsOf(
  db: Database,
  messageId: string,
): Promise<{ received: number; clicked: number } | undefined> {
  return await db
    .selectFrom('push_messages')
    .select(['received', 'clicked'])
    .where('id', '=', messageId)
    .executeTakeFirst()
}
