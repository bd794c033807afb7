/**
 * Apps, subscriptions and expanded messages for tests of sending; both providers, as emulators or as a
 * function; and a check that counters match the recipients.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import {
  credentialContext,
  credentialText,
  type ProviderCredential,
} from '../../src/modules/push/credentials/credential.ts'
import type { CredentialCache } from '../../src/modules/push/credentials/credential-cache.ts'
import {
  createPushDispatcher,
  type PushDispatchOptions,
} from '../../src/modules/push/dispatch/dispatch.ts'
import type { PushMessage, SendResult } from '../../src/modules/push/providers/port.ts'
import type { PushSenders } from '../../src/modules/push/providers/senders.ts'
import { tokenHashOf } from '../../src/modules/push/subscriptions/token.ts'
import type {
  PushContent,
  PushProvider,
  PushTables,
  PushTarget,
} from '../../src/modules/push/tables.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Mode } from '../../src/platform/owner.ts'
import type { Database, Db } from '../../src/platform/postgres/db.ts'
import { startProviders, testSealer } from './push-applications.ts'
import { addApplication } from './push-fixtures.ts'

export type PushApp = { org_id: string; application_id: string }

/** Adds an app. Its credentials are empty by default, which only {@link fakeCredentialCache} opens. */
export async function addPushApp(
  db: Database,
  given: {
    environment?: Mode
    credentials?: Partial<Record<PushProvider, ProviderCredential | undefined>>
  } = {},
): Promise<PushApp> {
  const { environment = 'live', credentials = { fcm: undefined, apns: undefined } } = given
  const app = await addApplication(db, { environment, credentials: [] })
  for (const [provider, credential] of Object.entries(credentials)) {
    await addCredential(db, app, provider as PushProvider, credential)
  }
  return app
}

async function addCredential(
  db: Database,
  { org_id, application_id }: PushApp,
  provider: PushProvider,
  credential: ProviderCredential | undefined,
): Promise<void> {
  const version = randomUUID()
  const context = credentialContext({ application_id, provider, version })
  const sealed = credential ? await testSealer(db).seal(credentialText(credential), context) : ''
  await sql`
    insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
      stored_at)
    values (${application_id}, ${provider}, ${org_id}, ${version}, ${sealed}, '{}',
      'test_required', now())`.execute(db)
}

/** @returns their ids, sorted */
export async function addPushSubscriptions(
  db: Db,
  { org_id, application_id }: PushApp,
  tokens: readonly string[],
  { provider = 'fcm', user = null }: { provider?: PushProvider; user?: string | null } = {},
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, external_user_id, permission, created_at, updated_at)
    select ${application_id}, gen_random_uuid(), ${org_id}, ${provider}, token, hash,
      now() - interval '1 hour', ${user}, 'granted', now(), now()
    from unnest(${[...tokens]}::text[], ${tokens.map(tokenHashOf)}::uuid[]) as t (token, hash)
    returning id`.execute(db)
  return rows.map(({ id }) => id).toSorted()
}

/** Tokens without a phone, for fake senders. */
export const someTokens = (count: number): string[] =>
  Array.from({ length: count }, () => `token-${randomUUID()}`)

export type MessageOptions = {
  provider?: PushProvider
  target?: PushTarget
  target_ids?: readonly string[]
  content?: PushContent
  /** Age of the send time in seconds. */
  sent_s_ago?: number
  batch_size?: number
}

/** Adds an expanded message with its recipients and batches. @returns its id */
export async function addPushMessage(
  db: Db,
  { org_id, application_id }: PushApp,
  subscriptionIds: readonly string[],
  given: MessageOptions = {},
): Promise<string> {
  const { provider = 'fcm', target = 'all', target_ids = [], batch_size = 100 } = given
  const { content = { title: 'Hello', body: 'World' }, sent_s_ago = 0 } = given
  const id = randomUUID()
  const ids = subscriptionIds.toSorted()
  await sql`
    insert into push_messages (id, org_id, application_id, target, target_ids, content, status,
      send_at, give_up_at, targeted, recipients, created_at)
    values (${id}, ${org_id}, ${application_id}, ${target}, ${[...target_ids]}::text[],
      ${JSON.stringify(content)}::jsonb, 'sending',
      now() - ${sent_s_ago}::float8 * interval '1 second', now() + interval '1 day',
      ${ids.length}::integer, ${ids.length}::integer, now())`.execute(db)
  await sql`
    insert into push_recipients (org_id, message_id, provider, subscription_id)
    select ${org_id}::uuid, ${id}::uuid, ${provider}, unnest(${ids}::uuid[])`.execute(db)
  await sql`
    insert into push_batches (org_id, application_id, provider, message_id, first_id, last_id, is_broadcast,
      recipients, due_at)
    select ${org_id}::uuid, ${application_id}::uuid, ${provider}, ${id}, (array_agg(id order by id))[1],
      (array_agg(id order by id desc))[1], ${target === 'all'}::boolean, count(*), now()
    from (select id, (row_number() over (order by id) - 1) / ${batch_size}::integer as part
      from unnest(${ids}::uuid[]) id) numbered
    group by part`.execute(db)
  return id
}

/** Adds a message to this number of subscriptions, and an app unless one is given. */
export async function addBacklog(
  db: Database,
  count: number,
  given: MessageOptions & { app?: PushApp } = {},
): Promise<PushApp & { message_id: string; ids: string[]; tokens: string[] }> {
  const app = given.app ?? (await addPushApp(db))
  const tokens = someTokens(count)
  const { provider = 'fcm' } = given
  const ids = await addPushSubscriptions(db, app, tokens, { provider })
  const message_id = await addPushMessage(db, app, ids, given)
  return { ...app, message_id, ids, tokens }
}

/** Opens every credential as an empty one, for fake senders. */
export const fakeCredentialCache: CredentialCache = {
  open: ({ provider }) =>
    Promise.resolve(
      provider === 'fcm'
        ? {
            provider,
            account: { project_id: '', client_email: '', private_key_id: '', private_key: '' },
          }
        : {
            provider,
            key: { team_id: '', key_id: '', private_key: '', environment: 'production' },
          },
    ),
}

export type FakeSend = (message: PushMessage, signal: AbortSignal) => Promise<SendResult>

/** Senders of both providers that call a function. */
export function fakeSenders(send: FakeSend): PushSenders {
  const sender = {
    send: async (message: PushMessage, _: unknown, { signal }: { signal: AbortSignal }) =>
      await send(message, signal),
    inFlight: () => 0,
    close: () => Promise.resolve(),
  }
  return { fcm: sender, apns: sender }
}

export const ACCEPTED: SendResult = { kind: 'accepted', provider_id: 'projects/p/messages/1' }

/** A started dispatcher over this database. */
export function startPushDispatcher(
  db: Database,
  given: Partial<PushDispatchOptions> & Pick<PushDispatchOptions, 'senders'>,
): Dispatcher {
  const dispatcher = createPushDispatcher({
    db,
    credentialCache: fakeCredentialCache,
    clock: { now: () => new Date() },
    newId: createIds(),
    log: createLog('silent'),
    deadline_ms: 10_000,
    in_flight_max: 1000,
    poll_ms: 20,
    ...given,
  })
  dispatcher.start()
  return dispatcher
}

/** Emulators of both providers, senders connected to them, and credentials that they accept. */
export async function startPushProviders(db: Database, options: { deadline_ms?: number } = {}) {
  const { fcm, apns, senders, credentialCache, close } = await startProviders(db, options)
  const { team_id, key_id, private_key } = apns.production.signingKey()
  const { project_id, client_email, private_key_id, ...account } = fcm.serviceAccount()
  const credentialsOf = (environment: 'production' | 'sandbox') => ({
    fcm: {
      provider: 'fcm' as const,
      account: { project_id, client_email, private_key_id, private_key: account.private_key },
    },
    apns: { provider: 'apns' as const, key: { team_id, key_id, private_key, environment } },
  })
  const { production, sandbox } = apns
  return { fcm, apns: production, sandbox, senders, credentialCache, credentialsOf, close }
}

/** Moves due times and pauses into the past by this time; leases stay. */
export async function letPushPass(db: Db, ms: number): Promise<void> {
  const shift = sql`${ms}::float8 * interval '1 millisecond'`
  await sql`update push_recipients set due_at = due_at - ${shift} where due_at is not null`.execute(
    db,
  )
  await sql`update push_batches set due_at = due_at - ${shift}`.execute(db)
  await sql`update push_credentials set paused_until = paused_until - ${shift}`.execute(db)
}

/** Ends all leases, as if the processes that hold them were gone. */
export async function endPushLeases(db: Db): Promise<void> {
  await sql`update push_batches set leased_until = now() where lease_id is not null`.execute(db)
}

type Message = PushTables['push_messages']

/**
 * Messages whose counters, status or batches do not match their recipients. The result must always be
 * empty.
 */
export async function listMiscounted(db: Db): Promise<Pick<Message, 'id' | 'status'>[]> {
  const { rows } = await sql<Pick<Message, 'id' | 'status'>>`
    select m.id, m.status from push_messages m cross join lateral (
      select count(*) as recipients, count(*) filter (where status = 'accepted') as accepted,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'pending') as pending,
        count(*) filter (where status = 'pending' and not exists (select from push_batches b
          where b.message_id = r.message_id and b.provider = r.provider
            and r.subscription_id between b.first_id and b.last_id)) as stranded
      from push_recipients r where message_id = m.id
    ) r cross join lateral (
      select count(*) as batches from push_batches where message_id = m.id
    ) b
    where (m.recipients, m.accepted, m.failed) <> (r.recipients, r.accepted, r.failed)
      or (m.status <> 'cancelled' and r.stranded > 0)
      or (m.expand_at is null and m.status <> 'cancelled'
        and (m.completed_at is not null) <> (b.batches = 0))
      or (m.completed_at is not null and m.status <> 'cancelled' and m.status <> case
        when m.failed = 0 then 'sent' when m.accepted = 0 then 'failed'
        else 'partially_failed' end)`.execute(db)
  return rows
}

export async function clearPush(db: Db): Promise<void> {
  await sql`truncate applications, push_configurations, push_credentials, push_subscriptions,
    push_messages, push_recipients, push_batches`.execute(db)
}
