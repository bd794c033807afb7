/**
 * SQL of credentials. What became of a notification changes only the version that it was sent with, and
 * may be told more than once. Where a transaction tells several things: acceptances, then pauses, then
 * rejections.
 */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushProvider, PushTables } from '../../../platform/postgres/tables/push.ts'
import type { CredentialRef } from './credential.ts'

export type CredentialRow = Selectable<PushTables['push_credentials']>
/** Without the sealed key and what only sending needs. */
export type ShownRow = Omit<CredentialRow, 'sealed' | 'pauses'>
export type NewCredential = Pick<
  CredentialRow,
  'application_id' | 'provider' | 'org_id' | 'version' | 'sealed' | 'shown' | 'stored_at'
>

const SHOWN = sql`c.application_id, c.provider, c.org_id, c.version, c.shown, c.status, c.error,
  c.stored_at, c.accepted_at, c.rejected_at, c.paused_until`

/** Takes the place of the one there is, with nothing of its past. */
export async function upsertCredential(db: Db, row: NewCredential): Promise<ShownRow | undefined> {
  const { rows } = await sql<ShownRow>`
    insert into push_credentials as c (application_id, provider, org_id, version, sealed, shown,
      status, stored_at)
    values (${row.application_id}, ${row.provider}, ${row.org_id}, ${row.version}, ${row.sealed},
      ${JSON.stringify(row.shown)}::jsonb, 'test_required', ${row.stored_at})
    on conflict (application_id, provider) do update set version = excluded.version,
      sealed = excluded.sealed, shown = excluded.shown, status = excluded.status, error = null,
      stored_at = excluded.stored_at, accepted_at = null, rejected_at = null, paused_until = null,
      pauses = 0
    where c.org_id = excluded.org_id
    returning ${SHOWN}`.execute(db)
  return rows[0]
}

/** FCM first. */
export async function listCredentials(
  db: Db,
  orgId: string,
  applicationId: string,
): Promise<ShownRow[]> {
  const { rows } = await sql<ShownRow>`
    select ${SHOWN} from push_credentials c
    where c.application_id = ${applicationId} and c.org_id = ${orgId}
    order by c.provider desc`.execute(db)
  return rows
}

/** With the sealed key: for sending. */
export async function findCredential(
  db: Db,
  orgId: string,
  applicationId: string,
  provider: PushProvider,
): Promise<CredentialRow | undefined> {
  return await db
    .selectFrom('push_credentials')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('provider', '=', provider)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
}

/** @returns whether there was one */
export async function deleteCredential(
  db: Db,
  orgId: string,
  applicationId: string,
  provider: PushProvider,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_credentials')
    .where('application_id', '=', applicationId)
    .where('provider', '=', provider)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The first of a transaction that tells different things of several: all lock in this order. */
export async function lockCredentials(tx: Db, refs: readonly CredentialRef[]): Promise<void> {
  await sql`
    select from push_credentials c join ${given(refs)} as g (application_id uuid, provider text)
      on c.application_id = g.application_id and c.provider = g.provider
    order by c.application_id, c.provider for no key update of c`.execute(tx)
}

/** When a provider accepted last is kept that exactly: every settlement would write it otherwise. */
const ACCEPTED_GRAIN = sql`interval '1 minute'`

/**
 * Makes them active. A pause that lasts is kept: what is accepted meanwhile was sent before it.
 */
export async function noteAccepted(tx: Db, refs: readonly CredentialRef[]): Promise<void> {
  if (refs.length === 0) return
  await sql`
    with mine as materialized (
      select c.application_id, c.provider from push_credentials c
      join ${given(refs)} as g (application_id uuid, provider text, version uuid)
        on c.application_id = g.application_id and c.provider = g.provider and c.version = g.version
      where c.status <> 'active' or c.accepted_at is null
        or c.accepted_at < now() - ${ACCEPTED_GRAIN} or (c.pauses > 0 and ${IS_OVER})
      order by 1, 2 for no key update of c
    )
    update push_credentials c set status = 'active', error = null, accepted_at = now(),
      pauses = case when ${IS_OVER} then 0 else c.pauses end,
      paused_until = case when ${IS_OVER} then null else c.paused_until end
    from mine m where c.application_id = m.application_id and c.provider = m.provider`.execute(tx)
}

export type Rejection = CredentialRef & {
  /** Sentences that may be shown: `safe_text` of the result. */
  readonly error: string
}

/** Nothing is sent with them any more but tests. */
export async function noteRejected(tx: Db, rejections: readonly Rejection[]): Promise<void> {
  if (rejections.length === 0) return
  await sql`
    with mine as materialized (
      select c.application_id, c.provider, g.error from push_credentials c
      join ${given(rejections)} as g (application_id uuid, provider text, version uuid, error text)
        on c.application_id = g.application_id and c.provider = g.provider and c.version = g.version
      where c.error is distinct from g.error or c.rejected_at < now() - ${ACCEPTED_GRAIN}
      order by 1, 2 for no key update of c
    )
    update push_credentials c set status = 'needs_attention', error = m.error, rejected_at = now()
    from mine m where c.application_id = m.application_id and c.provider = m.provider`.execute(tx)
}

export type Pause = CredentialRef & {
  /** As the provider wants it; 0 where it named no time. */
  readonly pause_ms: number
  /** The provider is away: each pause is twice as long as the one before, unless it wants more. */
  readonly is_outage: boolean
}

/** A provider that wants us to wait for longer is asked again all the same. */
const PAUSE_MAX_MS = 3_600_000
const OUTAGE_FIRST_MS = 1000
const OUTAGE_MAX_MS = 300_000
/** Beyond it the doubled pause is longer than the longest. */
const DOUBLINGS_MAX = 9

/** Those told of while one lasts are the same trouble: they make it longer only if they want more. */
export async function pause(tx: Db, pauses: readonly Pause[]): Promise<void> {
  if (pauses.length === 0) return
  await sql`
    with wanted as materialized (
      select g.application_id, g.provider, g.version, bool_or(g.is_outage) as is_outage,
        least(max(g.pause_ms), ${PAUSE_MAX_MS}::float8) as pause_ms
      from ${given(pauses)} as g (
        application_id uuid, provider text, version uuid, pause_ms float8, is_outage boolean)
      group by 1, 2, 3
    ), mine as materialized (
      select c.application_id, c.provider, w.pause_ms, w.is_outage and ${IS_OVER} as is_next,
        ${OUTAGE_FIRST_MS}::float8 * 2 ^ least(c.pauses, ${DOUBLINGS_MAX}::integer) as doubled_ms
      from push_credentials c join wanted w on c.application_id = w.application_id
        and c.provider = w.provider and c.version = w.version
      order by 1, 2 for no key update of c
    )
    update push_credentials c set pauses = c.pauses + m.is_next::integer,
      paused_until = greatest(c.paused_until, clock_timestamp() + interval '1 millisecond' *
        greatest(m.pause_ms, case when m.is_next
          then least(m.doubled_ms, ${OUTAGE_MAX_MS}::float8) else 0 end))
    from mine m where c.application_id = m.application_id and c.provider = m.provider`.execute(tx)
}

const IS_OVER = sql`(c.paused_until is null or c.paused_until <= clock_timestamp())`

const given = (items: readonly CredentialRef[]) =>
  sql`json_to_recordset(${JSON.stringify(items)}::json)`
