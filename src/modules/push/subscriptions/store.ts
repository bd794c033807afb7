/** SQL of reading and updating subscriptions, and of invalidating their tokens. */
import { sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'
import type { Permission, PushProvider, PushTables } from '../tables.ts'

export type SubscriptionKey = {
  application_id: string
  id: string
  /** Restricts the key to the subscription of the app with this secret. */
  proof?: SubscriptionProof | undefined
}
export type SubscriptionProof = { secret_hash: Buffer; environment: Mode }
type Secrets = 'token_hash' | 'secret_hash' | 'secret_salt'
export type SubscriptionRow = Omit<PushTables['push_subscriptions'], Secrets>

/** Condition on `push_subscriptions`, checked by the statement that reads or changes the row. */
export const PROVED = ({ proof }: Pick<SubscriptionKey, 'proof'>) =>
  proof ? sql<boolean>`secret_hash = ${proof.secret_hash}` : sql<boolean>`true`

/** Condition on `push_subscriptions`. An index covers it, which requires exactly this wording. */
export const REACHABLE = sql<boolean>`permission <> 'denied' and invalidated_at is null`

export const COLUMNS = sql`application_id, id, org_id, provider, token, token_registered_at,
  external_user_id, identified_at, permission, invalidated_at, invalid_reason, locale, app_version,
  time_zone, created_at, updated_at`

export type Invalidation = SubscriptionKey & {
  org_id: string
  /** Hash of the token that was used. If the subscription has another token by now, that one stays valid. */
  token_hash: string
  reason: string
  /** The token is valid after all if it was registered after this time (APNs 410). */
  invalid_since?: Date | undefined
}

/**
 * Locks rows in the order of application and id, as every transaction with several subscriptions must.
 * Subscriptions that are already invalid keep their reason.
 */
export async function invalidate(tx: Db, rows: readonly Invalidation[]): Promise<void> {
  if (rows.length === 0) return
  const json = JSON.stringify(rows.map((row) => ({ ...row, reason: storable(row.reason) })))
  await sql`
    with reported as (
      select * from json_to_recordset(${json}::json)
        as t (org_id uuid, application_id uuid, id uuid, token_hash uuid, reason text, invalid_since timestamptz)
    ), locked as (
      select s.org_id, s.application_id, s.id from push_subscriptions s
      where (s.org_id, s.application_id, s.id) in (select org_id, application_id, id from reported)
      order by s.application_id, s.id for update
    )
    update push_subscriptions s
    set invalidated_at = now(), invalid_reason = r.reason, updated_at = now()
    from reported r join locked using (org_id, application_id, id)
    where s.org_id = r.org_id and s.application_id = r.application_id and s.id = r.id
      and s.invalidated_at is null and s.token_hash = r.token_hash
      and (r.invalid_since is null or r.invalid_since > s.token_registered_at)`.execute(tx)
}

export async function findSubscription(
  db: Db,
  orgId: string,
  key: SubscriptionKey,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from push_subscriptions
    where application_id = ${key.application_id} and id = ${key.id} and org_id = ${orgId}
      and ${PROVED(key)}`.execute(db)
  return rows[0]
}

/** Fields that an app reports about itself. */
export type SubscriptionChanges = {
  permission?: Permission | undefined
  locale?: string | undefined
  app_version?: string | undefined
}

/** Omitted fields stay unchanged. */
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

/** @param externalUserId user of a verified assertion; null signs the user out */
export async function updateUser(
  db: Db,
  orgId: string,
  { application_id, id, proof }: SubscriptionKey,
  externalUserId: string | null,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    update push_subscriptions set external_user_id = ${externalUserId}::text,
      identified_at = ${externalUserId === null ? sql`null` : sql`now()`},
      updated_at = now()
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}
      and ${PROVED({ proof })}
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

export type SubscriptionFilter = {
  application_id: string
  external_user_id?: string | undefined
  provider?: PushProvider | undefined
  is_reachable?: boolean | undefined
  /** Id; only older subscriptions are returned. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export async function listSubscriptions(db: Db, orgId: string, filter: SubscriptionFilter) {
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
  /** Reachable subscriptions with a user. */
  identified: number
}

/** One entry for each provider that has subscriptions. */
export async function countSubscriptions(db: Db, orgId: string, applicationId: string) {
  const { rows } = await sql<SubscriptionCounts>`
    select provider, count(*) as total, count(*) filter (where ${REACHABLE}) as reachable,
      count(*) filter (where ${REACHABLE} and external_user_id is not null) as identified
    from push_subscriptions where application_id = ${applicationId} and org_id = ${orgId}
    group by provider order by provider desc`.execute(db)
  return rows
}
