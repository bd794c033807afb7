/** An organisation with applications, and what a process knows of their subscriptions. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Application, createApplications } from '../../src/modules/applications/index.ts'
import { createPushIdentity, type PushIdentity } from '../../src/modules/push/identity/service.ts'
import { createReceipts, type Receipts } from '../../src/modules/push/receipts/service.ts'
import {
  createSubscriptions,
  type Subscriptions,
} from '../../src/modules/push/subscriptions/service.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { readMasterKeys } from '../../src/platform/crypto/master-key.ts'
import { createSealer } from '../../src/platform/crypto/sealed.ts'
import { createIds } from '../../src/platform/ids.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import type { Mode } from '../../src/platform/postgres/tables/platform.ts'
import type { PushProvider } from '../../src/platform/postgres/tables/push.ts'
import { TEST_MASTER_KEY } from '../harness.ts'

/** What one process has. */
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

/** What a node needs besides the database. */
export const nodeParts = (db: Database, clock: Clock) => {
  const newId = createIds()
  const masterKeys = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir: '' })
  return { db, clock, newId, sealer: createSealer({ db, masterKeys, newId, clock }), key_days: 30 }
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

/** @param org_id by default of an organisation of its own */
export async function addApplication(
  db: Database,
  { org_id = randomUUID(), environment = 'live' }: { org_id?: string; environment?: Mode } = {},
): Promise<Application> {
  const parts = nodeParts(db, createTestClock())
  const applications = createApplications({ ...parts, push_applications_max: 100 })
  return await applications.create({ org_id, type: 'flutter', environment, name: 'Shop' })
}

export const newFcmToken = (): string =>
  `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`

export const newApnsToken = (): string => randomBytes(32).toString('hex')

/** A message that a provider accepted for each of these. @returns its id */
export async function addSentMessage(
  db: Database,
  { org_id, id: application_id }: Pick<Application, 'org_id' | 'id'>,
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
    insert into push_recipients (message_id, provider, subscription_id, status, settled_at)
    select ${id}::uuid, ${provider}, s, 'accepted', now()
    from unnest(${[...subscriptionIds]}::uuid[]) s`.execute(db)
  return id
}

/** What was told of a message. */
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
