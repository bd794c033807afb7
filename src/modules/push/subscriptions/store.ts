/** SQL of subscriptions: who can be reached, what is read, and the end of tokens that are no longer good. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'
import type {
  Permission,
  PushProvider,
  PushTables,
} from '../../../platform/postgres/tables/push.ts'

export type SubscriptionKey = { application_id: string; id: string }
export type SubscriptionRow = Omit<PushTables['push_subscriptions'], 'token_hash'>

/** Of a row of `push_subscriptions`; in these words an index holds all for which it is so. */
export const REACHABLE = sql<boolean>`permission <> 'denied' and invalidated_at is null`

export const COLUMNS = sql`application_id, id, org_id, provider, token, token_registered_at,
  external_user_id, identified_at, permission, invalidated_at, invalid_reason, locale, app_version,
  created_at, updated_at`

export type Invalidation = SubscriptionKey & {
  /** Of the token that was sent to: another one, which came meanwhile, stays good. */
  token_hash: string
  reason: string
  /** A registration of the token after this instant makes the answer void (APNs 410). */
  invalid_since?: Date | undefined
}

/**
 * Locks its rows in the order of application and id, as whoever locks several subscriptions has to.
 * What is invalid already keeps its reason.
 */
export async function invalidate(tx: Db, rows: readonly Invalidation[]): Promise<void> {
  if (rows.length === 0) return
  const told = JSON.stringify(rows.map((row) => ({ ...row, reason: storable(row.reason) })))
  await sql`
    with told as (
      select * from json_to_recordset(${told}::json)
        as t (application_id uuid, id uuid, token_hash uuid, reason text, invalid_since timestamptz)
    ), locked as (
      select s.application_id, s.id from push_subscriptions s
      where (s.application_id, s.id) in (select application_id, id from told)
      order by s.application_id, s.id for update
    )
    update push_subscriptions s
    set invalidated_at = now(), invalid_reason = told.reason, updated_at = now()
    from told join locked using (application_id, id)
    where s.application_id = told.application_id and s.id = told.id
      and s.invalidated_at is null and s.token_hash = told.token_hash
      and (told.invalid_since is null or told.invalid_since > s.token_registered_at)`.execute(tx)
}

export async function findSubscription(
  db: Db,
  orgId: string,
  { application_id, id }: SubscriptionKey,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from push_subscriptions
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}`.execute(db)
  return rows[0]
}

/** What an app tells of itself. */
export type SubscriptionChanges = {
  permission?: Permission | undefined
  locale?: string | undefined
  app_version?: string | undefined
}

/** What is not given stays. */
export async function updateSubscription(
  db: Db,
  orgId: string,
  { application_id, id }: SubscriptionKey,
  { permission, locale, app_version }: SubscriptionChanges,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    update push_subscriptions set permission = coalesce(${permission ?? null}, permission),
      locale = coalesce(${locale ?? null}, locale),
      app_version = coalesce(${app_version ?? null}, app_version), updated_at = now()
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @param externalUserId of a verified assertion; null: nobody */
export async function updateUser(
  db: Db,
  orgId: string,
  { application_id, id }: SubscriptionKey,
  externalUserId: string | null,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    update push_subscriptions set external_user_id = ${externalUserId}::text,
      identified_at = case when ${externalUserId}::text is not null then now() end,
      updated_at = now()
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export type SubscriptionFilter = {
  application_id: string
  external_user_id?: string | undefined
  provider?: PushProvider | undefined
  is_reachable?: boolean | undefined
  /** Only those that were made before this one. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export async function listSubscriptions(
  db: Db,
  orgId: string,
  filter: SubscriptionFilter,
): Promise<SubscriptionRow[]> {
  const { application_id, external_user_id, provider, is_reachable, before, limit } = filter
  const conditions = [
    sql`application_id = ${application_id} and org_id = ${orgId}`,
    ...(external_user_id === undefined ? [] : [sql`external_user_id = ${external_user_id}`]),
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(is_reachable === undefined ? [] : [is_reachable ? REACHABLE : sql`not (${REACHABLE})`]),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
  ]
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from push_subscriptions
    where ${sql.join(conditions, sql` and `)} order by id desc limit ${limit}`.execute(db)
  return rows
}

export type SubscriptionCounts = {
  provider: PushProvider
  total: number
  reachable: number
  /** Of those that can be reached. */
  identified: number
}

/** One entry for each provider that has any. */
export async function countSubscriptions(
  db: Db,
  orgId: string,
  applicationId: string,
): Promise<SubscriptionCounts[]> {
  const { rows } = await sql<SubscriptionCounts>`
    select provider, count(*) as total, count(*) filter (where ${REACHABLE}) as reachable,
      count(*) filter (where ${REACHABLE} and external_user_id is not null) as identified
    from push_subscriptions where application_id = ${applicationId} and org_id = ${orgId}
    group by provider order by provider desc`.execute(db)
  return rows
}
