/**
 * SQL of credentials. The outcome of a notification affects only the version it was sent with, and may be
 * recorded more than once. A transaction records acceptances first, then pauses, then rejections.
 */
import { type Selectable, sql } from 'kysely'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushProvider, PushTables } from '../tables.ts'
import type { CredentialRef } from './credential.ts'

export type CredentialRow = Selectable<PushTables['push_credentials']>
/** Row without the sealed key and the counter that only sending needs. */
export type ShownRow = Omit<CredentialRow, 'sealed' | 'pauses'>
export type NewCredential = Pick<
  CredentialRow,
  'application_id' | 'provider' | 'org_id' | 'version' | 'sealed' | 'shown' | 'stored_at'
>

const SHOWN = sql`c.application_id, c.provider, c.org_id, c.version, c.shown, c.status, c.error,
  c.stored_at, c.accepted_at, c.rejected_at, c.paused_until`

/**
 * Replaces an existing credential and resets its history.
 * @returns undefined if the application belongs to another organization
 */
export async function upsertCredential(db: Db, row: NewCredential): Promise<ShownRow | undefined> {
  const { rows } = await sql<ShownRow>`
    ${counted(sql`push_credentials
      where application_id = ${row.application_id} and org_id <> ${row.org_id}`)}
    insert into push_credentials as c (application_id, provider, org_id, version, sealed, shown,
      status, stored_at)
    select ${row.application_id}::uuid, ${row.provider}, ${row.org_id}::uuid,
      ${row.version}::uuid, ${row.sealed}, ${JSON.stringify(row.shown)}::jsonb, 'test_required',
      ${row.stored_at}::timestamptz
    from counted where total = 0
    on conflict (org_id, application_id, provider) do update set version = excluded.version,
      sealed = excluded.sealed, shown = excluded.shown, status = excluded.status, error = null,
      stored_at = excluded.stored_at, accepted_at = null, rejected_at = null, paused_until = null,
      pauses = 0
    returning ${SHOWN}`.execute(db)
  return rows[0]
}

/** FCM first. */
export async function listCredentials(db: Db, orgId: string, applicationId: string) {
  const { rows } = await sql<ShownRow>`
    select ${SHOWN} from push_credentials c
    where c.application_id = ${applicationId} and c.org_id = ${orgId}
    order by c.provider desc`.execute(db)
  return rows
}

/** Includes the sealed key, for sending. */
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

/** @returns whether a credential existed */
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

/** Called before a transaction records different kinds of changes, so that all lock in one order. */
export async function lockCredentials(tx: Db, refs: readonly CredentialRef[]): Promise<void> {
  await sql`
    select from push_credentials c join ${recordset(refs)} as g (application_id uuid, provider text)
      on c.application_id = g.application_id and c.provider = g.provider
    order by c.application_id, c.provider for no key update of c`.execute(tx)
}

/** Precision of `accepted_at` and `rejected_at`: without it, every settlement would write the row. */
const TIME_PRECISION = sql`interval '1 minute'`

/** Activates credentials. A current pause stays: the accepted notification was sent before it began. */
export async function recordAcceptances(tx: Db, refs: readonly CredentialRef[]): Promise<void> {
  if (refs.length === 0) return
  await sql`
    with locked as materialized (
      select c.application_id, c.provider from push_credentials c
      join ${recordset(refs)} as g (application_id uuid, provider text, version uuid)
        on c.application_id = g.application_id and c.provider = g.provider and c.version = g.version
      where c.status <> 'active' or c.accepted_at is null
        or c.accepted_at < now() - ${TIME_PRECISION} or (c.pauses > 0 and ${PAUSE_IS_OVER})
      order by 1, 2 for no key update of c
    )
    update push_credentials c set status = 'active', error = null, accepted_at = now(),
      pauses = case when ${PAUSE_IS_OVER} then 0 else c.pauses end,
      paused_until = case when ${PAUSE_IS_OVER} then null else c.paused_until end
    from locked l where c.application_id = l.application_id and c.provider = l.provider`.execute(tx)
}

export type Rejection = CredentialRef & {
  /** Text that may be shown to users: `safe_text` of the result. */
  readonly error: string
}

/** Marks credentials as needing attention: only test sends use them from now on (OP-93). */
export async function recordRejections(tx: Db, rejections: readonly Rejection[]): Promise<void> {
  if (rejections.length === 0) return
  await sql`
    with locked as materialized (
      select c.application_id, c.provider, g.error from push_credentials c
      join ${recordset(rejections)} as g (application_id uuid, provider text, version uuid, error text)
        on c.application_id = g.application_id and c.provider = g.provider and c.version = g.version
      where c.error is distinct from g.error or c.rejected_at < now() - ${TIME_PRECISION}
      order by 1, 2 for no key update of c
    )
    update push_credentials c set status = 'needs_attention', error = l.error, rejected_at = now()
    from locked l where c.application_id = l.application_id and c.provider = l.provider`.execute(tx)
}

export type Pause = CredentialRef & {
  /** Pause that the provider asked for; 0 when it named no time. */
  readonly pause_ms: number
  /** The provider is unavailable: each pause doubles the previous one, unless it asks for more. */
  readonly is_outage: boolean
}

/** Longer requests are capped: Vigil tries again after this time. */
const PAUSE_MAX_MS = 3_600_000
const OUTAGE_FIRST_MS = 1000
const OUTAGE_MAX_MS = 300_000
/** More doublings would exceed `OUTAGE_MAX_MS` anyway. */
const DOUBLINGS_MAX = 9

/** Failures during a pause belong to the same outage: they extend it only if the provider asks for more. */
export async function pauseCredentials(tx: Db, pauses: readonly Pause[]): Promise<void> {
  if (pauses.length === 0) return
  await sql`
    with wanted as materialized (
      select g.application_id, g.provider, g.version, bool_or(g.is_outage) as is_outage,
        least(max(g.pause_ms), ${PAUSE_MAX_MS}::float8) as pause_ms
      from ${recordset(pauses)} as g (
        application_id uuid, provider text, version uuid, pause_ms float8, is_outage boolean)
      group by 1, 2, 3
    ), locked as materialized (
      select c.application_id, c.provider, w.pause_ms, w.is_outage and ${PAUSE_IS_OVER} as is_next,
        ${OUTAGE_FIRST_MS}::float8 * 2 ^ least(c.pauses, ${DOUBLINGS_MAX}::integer) as doubled_ms
      from push_credentials c join wanted w on c.application_id = w.application_id
        and c.provider = w.provider and c.version = w.version
      order by 1, 2 for no key update of c
    )
    update push_credentials c set pauses = c.pauses + l.is_next::integer,
      paused_until = greatest(c.paused_until, statement_timestamp() + interval '1 millisecond' *
        greatest(l.pause_ms, case when l.is_next
          then least(l.doubled_ms, ${OUTAGE_MAX_MS}::float8) else 0 end))
    from locked l where c.application_id = l.application_id and c.provider = l.provider`.execute(tx)
}

const PAUSE_IS_OVER = sql`(c.paused_until is null or c.paused_until <= statement_timestamp())`

const recordset = (items: readonly CredentialRef[]) =>
  sql`json_to_recordset(${JSON.stringify(items)}::json)`
