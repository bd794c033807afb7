/**
 * SQL of a batch of registrations, in one transaction. Tokens are locked first and subscriptions in the order
 * of their ids, as `token-placement.store.ts` does for one of them.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { IN_APPLICATION } from '../subscriptions/token-placement.store.ts'
import type { PushProvider } from '../tables.ts'
import type { AppSubscription, Written } from './registration.ts'

export type ApplicationId = { org_id: string; application_id: string }
export type TokenKey = ApplicationId & { provider: PushProvider; token_hash: string }
export type IdKey = ApplicationId & { id: string }

/** Applications that exist, each with its environment. */
export async function listEnvironments(tx: Db, applications: readonly ApplicationId[]) {
  const { rows } = await sql<ApplicationId & { environment: Mode }>`
    select a.org_id, a.id as application_id, a.environment
    from unnest(${uuidArray(applications.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(applications.map(({ application_id }) => application_id))}::uuid[])
        as named (org_id, id)
      cross join lateral (
        select * from applications
        where org_id = named.org_id and id = named.id and deleted_at is null limit 1
      ) a`.execute(tx)
  return rows
}

/** The names are those of `lockToken`, in the order of what is locked. */
export async function lockTokens(tx: Db, tokens: readonly TokenKey[]): Promise<void> {
  const names = tokens.map(
    ({ application_id, provider, token_hash }) =>
      `push_token:${application_id.toLowerCase()}:${provider}:${token_hash}`,
  )
  await sql`
    select pg_advisory_xact_lock(lock_id) from (
      select distinct hashtextextended(name, 0) as lock_id
      from unnest(${textArray(names)}::text[]) as t (name) order by 1
    ) locks`.execute(tx)
}

const NAMED_APPLICATION = IN_APPLICATION({
  application_id: sql.ref('t.application_id'),
  provider: sql.ref('t.provider'),
})

/** The subscriptions that are named, and those that have the tokens. */
export async function lockSubscriptions(
  tx: Db,
  ids: readonly IdKey[],
  tokens: readonly TokenKey[],
): Promise<AppSubscription[]> {
  const { rows } = await sql<AppSubscription>`
    with keys as materialized (
      select * from (
        select org_id, application_id, id
        from unnest(${uuidArray(ids.map(({ org_id }) => org_id))}::uuid[],
          ${uuidArray(ids.map(({ application_id }) => application_id))}::uuid[],
          ${uuidArray(ids.map(({ id }) => id))}::uuid[]) as named (org_id, application_id, id)
        union
        select t.org_id, t.application_id, s.id
        from unnest(${uuidArray(tokens.map(({ org_id }) => org_id))}::uuid[],
            ${uuidArray(tokens.map(({ application_id }) => application_id))}::uuid[],
            ${textArray(tokens.map(({ provider }) => provider))}::text[],
            ${uuidArray(tokens.map(({ token_hash }) => token_hash))}::uuid[])
              as t (org_id, application_id, provider, token_hash)
          cross join lateral (
            select id from push_subscriptions
            where org_id = t.org_id and token_hash = t.token_hash and ${NAMED_APPLICATION} limit 1
          ) s
      ) named order by application_id, id
    )
    select s.* from keys k cross join lateral (
      select org_id, application_id, id, provider, token, token_hash, secret_hash, secret_salt,
        external_user_id, permission, locale, app_version, time_zone,
        invalidated_at is not null as is_invalid
      from push_subscriptions
      where org_id = k.org_id and application_id = k.application_id and id = k.id
      for update
    ) s`.execute(tx)
  return rows
}

/** Tokens leave their former subscriptions before others get them, because they are unique. */
export async function writeSubscriptions(tx: Db, written: readonly Written[]): Promise<void> {
  const existing = written.filter(({ is_new }) => !is_new)
  const left = existing.filter(
    ({ row, former_hash }) => former_hash !== null && row.token_hash !== former_hash,
  )
  if (left.length > 0) await removeTokens(tx, left)
  if (existing.length > 0) await updateRows(tx, existing)
  if (existing.length < written.length) {
    await insertRows(
      tx,
      written.filter(({ is_new }) => is_new),
    )
  }
}

async function removeTokens(tx: Db, written: readonly Written[]): Promise<void> {
  const rows = written.map(({ row }) => row)
  await sql`
    update push_subscriptions s set token = null, token_hash = null, updated_at = now(),
      invalidated_at = coalesce(s.invalidated_at, moved.at), invalid_reason = 'token_moved'
    from (
      select r.*, now() as at from unnest(${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
        ${uuidArray(rows.map(({ application_id }) => application_id))}::uuid[],
        ${uuidArray(rows.map(({ id }) => id))}::uuid[]) as r (org_id, application_id, id)
    ) moved
    where s.org_id = moved.org_id and s.application_id = moved.application_id
      and s.id = moved.id`.execute(tx)
}

async function updateRows(tx: Db, written: readonly Written[]): Promise<void> {
  await sql`
    update push_subscriptions s set token = w.token, token_hash = w.token_hash,
      token_registered_at = case when w.is_registered then w.at else s.token_registered_at end,
      invalidated_at = case when not w.is_registered then s.invalidated_at end,
      invalid_reason = case when not w.is_registered then s.invalid_reason end,
      external_user_id = case when not w.is_signed_out then s.external_user_id end,
      identified_at = case when not w.is_signed_out then s.identified_at end,
      secret_hash = decode(w.secret_hash, 'hex'), secret_salt = decode(w.secret_salt, 'hex'),
      permission = w.permission, locale = w.locale, app_version = w.app_version,
      time_zone = w.time_zone, updated_at = now()
    from (select r.*, now() as at from ${recordsOf(written)} as r (${COLUMNS})) w
    where s.org_id = w.org_id and s.application_id = w.application_id and s.id = w.id`.execute(tx)
}

async function insertRows(tx: Db, written: readonly Written[]): Promise<void> {
  await sql`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, external_user_id, identified_at, permission, invalidated_at,
      invalid_reason, locale, app_version, time_zone, secret_hash, secret_salt, created_at,
      updated_at)
    select w.application_id, w.id, w.org_id, w.provider, w.token, w.token_hash, now(),
      w.external_user_id, case when w.external_user_id is not null then now() end, w.permission,
      case when w.token is null then now() end,
      case when w.token is null then 'token_moved' end,
      w.locale, w.app_version, w.time_zone, decode(w.secret_hash, 'hex'),
      decode(w.secret_salt, 'hex'), now(), now()
    from ${recordsOf(written)} as w (${COLUMNS})`.execute(tx)
}

const COLUMNS = sql`org_id uuid, application_id uuid, id uuid, provider text, token text,
  token_hash uuid, external_user_id text, permission text, locale text, app_version text,
  time_zone text, secret_hash text, secret_salt text, is_registered boolean,
  is_signed_out boolean`

function recordsOf(written: readonly Written[]): RawBuilder<unknown> {
  const records = written.map(({ row, is_registered, is_signed_out }) => ({
    ...row,
    secret_hash: row.secret_hash?.toString('hex') ?? null,
    secret_salt: row.secret_salt?.toString('hex') ?? null,
    is_registered,
    is_signed_out,
  }))
  return sql`json_to_recordset(${JSON.stringify(records)}::json)`
}
