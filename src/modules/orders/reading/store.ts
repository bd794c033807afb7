import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import {
  type HistoryBounds,
  type HistoryPage,
  readHistoryPage,
} from '../../../platform/postgres/history-page.ts'
import type { OrderAction, OrderListItem } from './schema.ts'

/** `waiting` means in the review queue. */
export const ORDER_DECISIONS = ['waiting', 'confirmed_fraud', 'legitimate', 'none'] as const
export type OrderDecisionFilter = (typeof ORDER_DECISIONS)[number]

export type OrderFilters = Owner & {
  id?: string | undefined
  external_order_id?: string | undefined
  profile_id?: string | undefined
  score_min?: number | undefined
  flag?: string | undefined
  decision?: OrderDecisionFilter | undefined
}

export type ListedOrder = Omit<OrderListItem, 'risk_level'>

const LAST_DECISION = sql`(
  select d.decision from review_decisions d
  where d.org_id = e.org_id and d.subject_id = e.id order by d.number desc limit 1)`

const IS_WAITING = sql`exists (
  select from reviews r where r.org_id = e.org_id and r.subject_id = e.id and r.decision is null)`

const SHOWN = sql`e.id, e.external_order_id, e.profile_id, e.risk_score, e.ordered_at, e.created_at,
  e.request ->> 'external_id' as external_id,
  (e.request ->> 'amount_cents')::float8 as amount_cents,
  coalesce(e.request ->> 'currency', 'USD') as currency,
  e.request ->> 'order_type' as order_type, e.request ->> 'payment_method' as payment_method,
  e.request ->> 'location_name' as location_name, e.request ->> 'location_city' as location_city,
  e.request ->> 'location_country' as location_country,
  (e.request ->> 'location_latitude')::float8 as latitude,
  (e.request ->> 'location_longitude')::float8 as longitude,
  (e.assessment -> 'context' ->> 'local_hour')::integer as local_hour,
  e.request ->> 'fingerprint_hash' as fingerprint_hash,
  coalesce(e.assessment -> 'flags', '[]'::json) as flags,
  ${LAST_DECISION} as decision, ${IS_WAITING} as is_waiting`

export async function listOrders(
  db: Database,
  filters: OrderFilters,
  walk: HistoryBounds,
): Promise<HistoryPage<ListedOrder>> {
  return await readHistoryPage<ListedOrder>(
    db,
    {
      table: 'orders',
      within: withinOf(filters),
      columns: [
        'org_id',
        'mode',
        'external_order_id',
        'profile_id',
        'risk_score',
        'request',
        'assessment',
        'ordered_at',
        'created_at',
      ],
      where: sql.join(conditionsOf(filters), sql` and `),
      shown: SHOWN,
    },
    walk,
  )
}

/** Conditions that the primary key or an index can answer. */
function withinOf(filters: OrderFilters): RawBuilder<unknown> {
  const { org_id, mode, id, external_order_id, profile_id } = filters
  const conditions = [sql`t.org_id = ${org_id}`]
  if (id !== undefined) conditions.push(sql`t.id = ${id}`)
  if (external_order_id !== undefined) {
    conditions.push(sql`t.mode = ${mode} and t.external_order_id = ${external_order_id}`)
  }
  if (profile_id !== undefined) conditions.push(sql`t.profile_id = ${profile_id}`)
  return sql.join(conditions, sql` and `)
}

const DECIDED: Readonly<Record<OrderDecisionFilter, RawBuilder<unknown>>> = {
  waiting: IS_WAITING,
  confirmed_fraud: sql`${LAST_DECISION} = 'confirmed_fraud'`,
  legitimate: sql`${LAST_DECISION} = 'legitimate'`,
  none: sql`${LAST_DECISION} is null`,
}

function conditionsOf(filters: OrderFilters): RawBuilder<unknown>[] {
  const { mode, score_min, flag, decision } = filters
  const conditions: RawBuilder<unknown>[] = [sql`e.mode = ${mode}`]
  if (score_min !== undefined) conditions.push(sql`e.risk_score >= ${score_min}`)
  if (flag !== undefined) conditions.push(sql`e.assessment ->> 'flags' like ${`%"${flag}"%`}`)
  if (decision !== undefined) conditions.push(DECIDED[decision])
  return conditions
}

/** No real order has more actions. */
const ACTIONS_MAX = 100

/** Lists cashier actions on an order, newest first. */
export async function listActions(
  db: Db,
  { org_id, mode }: Owner,
  external_order_id: string,
): Promise<Omit<OrderAction, 'risk_level'>[]> {
  const { rows } = await sql<Omit<OrderAction, 'risk_level'>>`
    select a.id, a.action_type, a.request ->> 'cashier_external_id' as cashier_external_id,
      a.amount_cents::float8 as amount_cents, a.request ->> 'reason' as reason, a.risk_score,
      a.performed_at
    from (
      select * from cashier_actions c
      where c.org_id = ${org_id} and c.mode = ${mode} and c.order_external_id = ${external_order_id}
      limit ${sql.lit(ACTIONS_MAX)}) a
    order by a.performed_at desc`.execute(db)
  return rows
}

export type DeviceCheck = { risk_score: number; checked_at: Date; id: string | null }

/** Upper bound for the checks of one millisecond. */
const CHECKS_MAX = 100

/** Finds the strongest recent check of a device, with its id unless retention has deleted it. */
export async function findDeviceCheck(
  db: Db,
  orgId: string,
  deviceId: string,
  fingerprint: string,
): Promise<DeviceCheck | undefined> {
  const risk = await db
    .selectFrom('device_check_risks')
    .select(['risk_score', 'checked_at'])
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  if (!risk) return undefined
  const at_ms = risk.checked_at.getTime()
  const { rows } = await sql<{ id: string }>`
    select c.id from (
      select * from checks where org_id = ${orgId}
        and id >= ${lowestIdAt(at_ms)}::uuid and id < ${lowestIdAt(at_ms + 1)}::uuid
      order by id limit ${sql.lit(CHECKS_MAX)}) c
    where c.risk_score = ${risk.risk_score}
      and c.request -> 'device' ->> 'fingerprint_hash' = ${fingerprint} limit 1`.execute(db)
  return { ...risk, id: rows[0]?.id ?? null }
}

export type ProfileName = Owner & { id: string; external_id: string }

export async function findProfile(
  db: Db,
  orgId: string,
  id: string,
): Promise<ProfileName | undefined> {
  return await db
    .selectFrom('profiles')
    .select(['org_id', 'id', 'mode', 'external_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Lists profiles by name. */
export async function listProfiles(
  db: Db,
  { org_id, mode }: Owner,
  { from, after, limit }: { from?: string | undefined; after?: string | undefined; limit: number },
): Promise<ProfileName[]> {
  return await db
    .selectFrom('profiles')
    .select(['org_id', 'id', 'mode', 'external_id'])
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .$if(from !== undefined, (query) => query.where('external_id', '>=', from ?? ''))
    .$if(after !== undefined, (query) => query.where('external_id', '>', after ?? ''))
    .orderBy('external_id')
    .limit(limit)
    .execute()
}
