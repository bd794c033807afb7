/** SQL of assigning tokens to subscriptions, in the transaction of `placeToken`. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushProvider } from '../tables.ts'
import { COLUMNS, type SubscriptionChanges, type SubscriptionRow } from './store.ts'

export type Placement = SubscriptionChanges & {
  org_id: string
  application_id: string
  provider: PushProvider
  token: string
  /** Subscription that should own the token; default: its current owner, or a new subscription. */
  subscription_id?: string | undefined
  /** Id of the subscription if a new one is created. */
  new_id: string
}

/** Prevents concurrent transactions from inserting the same new token twice. */
export async function lockToken(
  tx: Db,
  { application_id, provider }: Placement,
  tokenHash: string,
): Promise<void> {
  const name = `push_token:${application_id.toLowerCase()}:${provider}:${tokenHash}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/**
 * In this form no index serves the condition, so the planner uses that of tokens. With `=` and without
 * statistics, it reads all subscriptions of the application through the primary key instead.
 */
export const IN_APPLICATION = (application: {
  application_id: unknown
  provider: unknown
}): RawBuilder<boolean> => sql`application_id is not distinct from ${application.application_id}
  and provider is not distinct from ${application.provider}`

type Candidate = { id: string; provider: PushProvider; token_hash: string | null }

export async function lockCandidates(
  tx: Db,
  { org_id, application_id, provider, subscription_id }: Placement,
  tokenHash: string,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select id, provider, token_hash from push_subscriptions
    where org_id = ${org_id} and application_id = ${application_id}
        and id = ${subscription_id ?? null}::uuid
      or org_id = ${org_id} and token_hash = ${tokenHash}
        and ${IN_APPLICATION({ application_id, provider })}
    order by id for update`.execute(tx)
  return rows
}

export async function removeToken(tx: Db, { org_id, application_id }: Placement, id: string) {
  await sql`
    update push_subscriptions set token = null, token_hash = null, updated_at = now(),
      invalidated_at = coalesce(invalidated_at, t.at), invalid_reason = 'token_moved'
    from (select now() as at) t
    where org_id = ${org_id} and application_id = ${application_id} and id = ${id}`.execute(tx)
}

/** The user of the subscription stays signed in. */
export async function assignToken(
  tx: Db,
  { org_id, application_id, token, permission, locale, app_version }: Placement,
  { id, token_hash }: { id: string; token_hash: string },
): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    update push_subscriptions set token = ${token}, token_hash = ${token_hash},
      token_registered_at = now(), invalidated_at = null, invalid_reason = null,
      permission = coalesce(${permission ?? null}, permission),
      locale = coalesce(${locale ?? null}, locale),
      app_version = coalesce(${app_version ?? null}, app_version), updated_at = now()
    where org_id = ${org_id} and application_id = ${application_id} and id = ${id}
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}

export async function insertSubscription(tx: Db, placement: Placement, tokenHash: string) {
  const { org_id, application_id, new_id, provider, token } = placement
  const { permission = 'granted', locale = null, app_version = null } = placement
  const { rows } = await sql<SubscriptionRow>`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, permission, locale, app_version, created_at, updated_at)
    values (${application_id}, ${new_id}, ${org_id}, ${provider}, ${token}, ${tokenHash}, now(),
      ${permission}, ${locale}, ${app_version}, now(), now())
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}
