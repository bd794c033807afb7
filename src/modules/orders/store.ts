import { type RawBuilder, sql } from 'kysely'
import type { Mode, Owner } from '../../platform/owner.ts'
import {
  jsonArray,
  numberArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Reader } from '../../platform/states/index.ts'
import {
  type Assessed,
  readAssessment,
  type StoredAssessment,
  storedAssessment,
} from './assessment.ts'
import type { OrderRequest } from './schema.ts'
import type { OrderTables } from './tables.ts'

export type OrderRow = Assessed &
  Pick<OrderTables['orders'], 'org_id' | 'id' | 'mode' | 'seq' | 'ordered_at' | 'created_at'> & {
    profile_id: string | undefined
    request: OrderRequest
  }

export type OrderName = { org_id: string; mode: Mode; external_order_id: string }

/** The columns that a retry is compared with and answered from. */
export type StoredOrder = Pick<OrderRow, 'id' | 'request' | 'risk' | 'ordered_at'>

const NO_PROFILE = '00000000-0000-0000-0000-000000000000'

export const orderWriter: Writer<OrderRow> = { name: 'orders', write: insertOrders }

function insertOrders(rows: readonly OrderRow[]): RawBuilder<unknown> {
  return sql`
    insert into orders (org_id, id, mode, seq, external_order_id, profile_id, risk_score, request,
      assessment, ordered_at, created_at)
    select org_id, id, mode, seq, external_order_id, nullif(profile_id, ${sql.lit(NO_PROFILE)}::uuid),
      risk_score, request, assessment, ordered_at, created_at
    from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ mode }) => mode))}::text[],
      ${numberArray(rows.map(({ seq }) => seq))}::float8[],
      ${textArray(rows.map(({ request }) => request.external_order_id))}::text[],
      ${uuidArray(rows.map(({ profile_id }) => profile_id ?? NO_PROFILE))}::uuid[],
      ${numberArray(rows.map(({ risk }) => risk.risk_score))}::float8[],
      ${jsonArray(rows.map(({ request }) => JSON.stringify(request)))}::json[],
      ${jsonArray(rows.map((row) => JSON.stringify(storedAssessment(row))))}::json[],
      ${timeArray(rows.map(({ ordered_at }) => ordered_at))}::timestamptz[],
      ${timeArray(rows.map(({ created_at }) => created_at))}::timestamptz[]
    ) as o (org_id, id, mode, seq, external_order_id, profile_id, risk_score, request, assessment,
      ordered_at, created_at)`
}

export const storedOrderReader: Reader<OrderName, StoredOrder | undefined> = {
  name: 'stored orders',
  read: findOrders,
}

export async function findOrders(
  db: Db,
  names: readonly OrderName[],
): Promise<(StoredOrder | undefined)[]> {
  if (names.length === 0) return []
  type Row = Stored<StoredOrder> & { index: number }
  const { rows } = await sql<Row>`
    select n.index::integer as index, o.id, o.request, o.risk_score, o.assessment, o.ordered_at
    from unnest(
      ${uuidArray(names.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(names.map(({ mode }) => mode))}::text[],
      ${textArray(names.map(({ external_order_id }) => external_order_id))}::text[]
    ) with ordinality as n (org_id, mode, external_order_id, index)
    -- Lateral with a limit, so that no plan starts with a scan of the whole table.
    cross join lateral (
      select * from orders o where o.org_id = n.org_id and o.mode = n.mode
        and o.external_order_id = n.external_order_id limit 1) o`.execute(db)
  const found: (StoredOrder | undefined)[] = names.map(() => undefined)
  for (const { index, ...order } of rows) found[index - 1] = assessed(order)
  return found
}

const COLUMNS = [
  'org_id',
  'id',
  'mode',
  'seq',
  'profile_id',
  'risk_score',
  'request',
  'assessment',
  'ordered_at',
  'created_at',
] as const

/** Every column of an order, with its assessment unpacked. */
export type WholeOrder = Omit<OrderRow, 'profile_id'> & { profile_id: string | null }

/**
 * Finds orders by id or `external_order_id`. Only the operator omits the organization; the query
 * then probes the index of each organization.
 */
export async function findWholeOrders(
  db: Db,
  by: { id: string } | { name: string },
  { org_id, mode }: { org_id?: string | undefined; mode?: Mode | undefined },
): Promise<WholeOrder[]> {
  const matches = 'id' in by ? sql`o.id = ${by.id}` : sql`o.external_order_id = ${by.name}`
  const inOrganization = org_id === undefined ? sql`` : sql`and g.id = ${org_id}`
  const inMode = mode === undefined ? sql`` : sql`and m.mode = ${mode}`
  const { rows } = await sql<Stored<WholeOrder>>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`o.${column}`)))}
    from organizations g cross join (values ('live'), ('test')) as m (mode)
    join orders o on o.org_id = g.id and o.mode = m.mode and ${matches}
    where true ${inOrganization} ${inMode}`.execute(db)
  return rows.map((row) => assessed(row))
}

/** Reads in order of scoring, except for orders that several nodes wrote at the same time. */
export async function readOrdersAfter(
  db: Db,
  owner: Owner,
  afterId: string,
  rowsMax: number,
): Promise<WholeOrder[]> {
  const rows = await db
    .selectFrom('orders')
    .select(COLUMNS)
    .where('org_id', '=', owner.org_id)
    .where('mode', '=', owner.mode)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(rowsMax)
    .execute()
  return (rows as Stored<WholeOrder>[]).map((row) => assessed(row))
}

/** Lists the organizations that have orders in the mode. */
export async function listOrderOwners(db: Db, mode: Mode): Promise<Owner[]> {
  const { rows } = await sql<{ org_id: string }>`
    select g.id as org_id from organizations g
    where exists (select from orders o where o.org_id = g.id and o.mode = ${mode})
    order by g.id`.execute(db)
  return rows.map(({ org_id }) => ({ org_id, mode }))
}

type Stored<Row> = Omit<Row, keyof Assessed> & { risk_score: number; assessment: StoredAssessment }

function assessed<Row>({ risk_score, assessment, ...row }: Stored<Row>): Row {
  return { ...row, ...readAssessment(risk_score, assessment) } as Row
}

/** Deletes a bounded number of old orders. @returns the number of deleted orders */
export async function sweepOrders(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from orders where ctid = any(array(
      select ctid from orders where created_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
