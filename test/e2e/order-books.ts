/**
 * Compares what senders of orders received with the database, and the database with a replay of it.
 */
import { sql } from 'kysely'
import { openStores, type Stores } from '../../src/app/stores.ts'
import { readConfig } from '../../src/config.ts'
import type { ScoredOrder } from '../../src/modules/orders/schema.ts'
import type { WholeOrder } from '../../src/modules/orders/store.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { type Comparison, compareWithFold } from '../support/fold.ts'
import type { OrderLedger } from './order-load.ts'
import { type Decided, NOT_DECIDED } from './reviewer.ts'

/** Specification, "Events". */
const FLAGGED_SCORE = 50

export type OrderBooks = Omit<Comparison, 'risk_changes' | 'decisions'> & {
  /** `external_order_id` of orders that differ from their acknowledgment or have none. */
  wrong_orders: string[]
  /** Ids of orders that do not have exactly one usage row. */
  wrong_usage: string[]
  /** Ids of orders whose events do not match their risk. */
  wrong_events: string[]
  /** Ids of flagged orders without a review, and of other orders with one. */
  wrong_reviews: string[]
  /** Ids that have usage, events or reviews but no order. */
  orphans: string[]
  /** Changes of level that only the events or only the replay contain. */
  wrong_risk_changes: string[]
  /** Ids of orders whose label is not the decided one. */
  wrong_decisions: string[]
}

export async function readOrderBooks(
  dataDir: string,
  orgId: string,
  { acknowledged }: OrderLedger,
  decided: Decided,
): Promise<OrderBooks> {
  return await withStores(dataDir, async (stores) => {
    const { db } = stores
    const orders = new Map<string, WholeOrder>()
    const compared = await compareWithFold(stores, orgId, (order) => {
      orders.set(order.id, order)
    })
    const { risk_changes, decisions: _, ...comparison } = compared
    const counts = await readCounts(db)
    const found = new Set([...orders.values()].map(nameOf))
    const ids = (isWrong: (order: WholeOrder, counts: Counts) => boolean) =>
      counts
        .filter((row) => {
          const order = orders.get(row.id)
          return order !== undefined && isWrong(order, row)
        })
        .map(({ id }) => id)
    return {
      ...comparison,
      wrong_orders: [
        ...[...orders.values()]
          .filter((order) => !isAsAcknowledged(order, acknowledged))
          .map(nameOf),
        ...[...acknowledged.keys()].filter((name) => !found.has(name)),
      ],
      wrong_usage: ids((_order, { usages, own_usages }) => usages !== 1 || own_usages !== 1),
      wrong_events: ids(hasWrongEvents),
      wrong_reviews: ids(({ risk }, { reviews }) => reviews !== (risk.flagged_for_review ? 1 : 0)),
      orphans: counts.filter(({ id }) => !orders.has(id)).map(({ id }) => id),
      wrong_risk_changes: difference(risk_changes, await readRiskChanges(db, orgId)),
      wrong_decisions: await readWrongDecisions(db, orgId, decided),
    }
  })
}

const nameOf = ({ request }: WholeOrder): string => request.external_order_id

async function withStores<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores({
    config: readConfig({ VIGIL_DATA_DIR: dataDir }),
    log: createLog('silent'),
    data_dir: dataDir,
    progress: () => undefined,
    is_patient: true,
  })
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** Numbers of rows that belong to an order. */
type Counts = {
  id: string
  usages: number
  own_usages: number
  detected: number
  alerts: number
  /** Contents of the events about the order. */
  contents: ScoredOrder[]
  reviews: number
  alert_reviews: number
}

/** Counts rows of all orders and of all ids that other tables take for orders. */
async function readCounts(db: Db): Promise<Counts[]> {
  const { rows } = await sql<Counts>`
    with usages as (
      select unnest(coalesce(source_ids, array[source_id])) as id, count(*) as count,
        count(*) filter (where meter = 'order'
          and quantity = cardinality(coalesce(source_ids, array[source_id]))) as own
      from usage_events group by 1),
    emitted as (
      select (body::json -> 'data' -> 'order' ->> 'id')::uuid as id,
        count(*) filter (where type = 'order.fraud.detected') as detected,
        count(*) filter (where type = 'order.fraud.alert') as alerts,
        json_agg(body::json -> 'data') as contents
      from events where type like 'order.%' group by 1),
    queue as (
      select subject_id as id, count(*) filter (where subject = 'order') as orders,
        count(*) filter (where subject = 'alert') as alerts
      from reviews group by 1)
    select id, coalesce(usages.count, 0) as usages, coalesce(usages.own, 0) as own_usages,
      coalesce(emitted.detected, 0) as detected, coalesce(emitted.alerts, 0) as alerts,
      coalesce(emitted.contents, '[]') as contents, coalesce(queue.orders, 0) as reviews,
      coalesce(queue.alerts, 0) as alert_reviews
    from orders full join usages using (id) full join emitted using (id)
      full join queue using (id)`.execute(db)
  return rows
}

function isAsAcknowledged(order: WholeOrder, acknowledged: OrderLedger['acknowledged']): boolean {
  const answer = acknowledged.get(nameOf(order))?.answer
  return answer?.order.id === order.id && isEqual(answer.risk, order.risk)
}

function hasWrongEvents({ id, risk }: WholeOrder, counts: Counts): boolean {
  const { detected, alerts, alert_reviews, contents } = counts
  const isOfOrder = (content: ScoredOrder) => content.order.id === id && isEqual(content.risk, risk)
  return (
    detected !== (risk.risk_score >= FLAGGED_SCORE ? 1 : 0) ||
    alerts !== alert_reviews ||
    !contents.every(isOfOrder)
  )
}

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

async function readRiskChanges(db: Db, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ change: string }>`
    select concat_ws(' ', data -> 'profile' ->> 'id', data ->> 'previous_risk_level',
      data -> 'profile' ->> 'risk_level') as change
    from (select body::json -> 'data' as data from events
      where org_id = ${orgId} and type = 'profile.risk.changed') as changes`.execute(db)
  return rows.map(({ change }) => change)
}

/** Returns the texts that one list contains more often than the other. */
function difference(some: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of some) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) - 1)
  return [...counts].filter(([, count]) => count !== 0).map(([text]) => text)
}

async function readWrongDecisions(db: Db, orgId: string, decided: Decided): Promise<string[]> {
  const rows = await db
    .selectFrom('review_decisions')
    .select(['subject_id', 'decision'])
    .where('org_id', '=', orgId)
    .orderBy('number')
    .execute()
  const labels = new Map(rows.map(({ subject_id, decision }) => [subject_id, decision]))
  const isPossible = (id: string) => {
    const label = labels.get(id)
    const { acknowledged, pending } = decided.get(id) ?? NOT_DECIDED
    return label === acknowledged || (label !== undefined && pending.has(label))
  }
  return [...new Set([...labels.keys(), ...decided.keys()])].filter((id) => !isPossible(id))
}
