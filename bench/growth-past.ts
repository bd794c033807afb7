/**
 * A long past of a profile without the hours that it would take to send it: the rows are copies of
 * one real order, the states have learnt every order by the same function as in the service.
 */
import { type RawBuilder, sql } from 'kysely'
import { createCountries } from '../src/modules/orders/countries.ts'
import { factsOf, whereabouts } from '../src/modules/orders/facts.ts'
import { idsOf, orderKeys } from '../src/modules/orders/keys.ts'
import type { OrderRequest } from '../src/modules/orders/schema.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../src/modules/orders/scoring/parameters.ts'
import { scoreOrder } from '../src/modules/orders/scoring/scoring.ts'
import type { OrderStates } from '../src/modules/orders/scoring/states.ts'
import type { Owner } from '../src/modules/orders/service.ts'
import { changedStates, statesAt } from '../src/modules/orders/state-map.ts'
import { installationSecret } from '../src/platform/crypto/installation-secrets.ts'
import { createKeyedHash } from '../src/platform/crypto/keyed-hash.ts'
import { createLocalHours } from '../src/platform/local-time.ts'
import { createStateId, readStates } from '../src/platform/states/index.ts'
import type { Stores } from '../src/stores.ts'
import type { Score } from './core.ts'

export type Past = {
  stores: Stores
  owner: Owner
  score: Score
  /** How many there are to be. */
  orders: number
  /** From 1 on. */
  order: (number: number) => OrderRequest
}

/** The first ones come about as in real life and are the pattern of the others. */
const REAL_ORDERS = 10
const COPIES_MAX = 50_000
const SECRET_BYTES = 32

/** After this, services that were opened before know less than the database. */
export async function createPast(past: Past, tell: (step: string) => void): Promise<void> {
  const real = Math.min(REAL_ORDERS, past.orders)
  for (let number = 1; number <= real; number += 1) await past.score(past.order(number))
  await learn(past, real)
  for (let from = real; from < past.orders; from += COPIES_MAX) {
    tell(`  ${from} of ${past.orders} rows`)
    await copyRows(past, past.order(real), from - real, Math.min(COPIES_MAX, past.orders - from))
  }
}

/** Folds the orders after those that are known into the states. */
async function learn({ stores, owner, orders, order }: Past, known: number): Promise<void> {
  const { db, sealer, clock } = stores
  const secret = await installationSecret(db, sealer, 'identity_hash', SECRET_BYTES)
  const keys = orderKeys(createStateId(createKeyedHash(secret)), owner, order(known))
  const ids = idsOf(keys).map((id) => ({ org_id: owner.org_id, id }))
  const stored = await readStates(db, ids, false)
  const before = statesAt(keys, { get: (id) => stored.get(id)?.state })
  const sources = { hours: createLocalHours('UTC'), countries: createCountries() }
  // Told late, as those are that come about as in real life.
  const now = clock.now()
  let states: OrderStates = before
  for (let number = known + 1; number <= orders; number += 1) {
    const request = order(number)
    const at = new Date(request.ordered_at ?? 0)
    const facts = factsOf(request, whereabouts(sources, request, at), keys.profile, at)
    states = scoreOrder(facts, states, now.getTime(), DEFAULT_ORDER_PARAMETERS).next
  }
  for (const { id, value } of changedStates(keys, before, states, now)) {
    await sql`
      update states set state = ${JSON.stringify(value)}::json, made_from = version,
        version = version + 1
      where org_id = ${owner.org_id} and id = ${id}`.execute(db)
  }
}

/** @param done how many copies there are already */
async function copyRows(
  { stores, owner }: Past,
  { external_order_id }: OrderRequest,
  done: number,
  count: number,
): Promise<void> {
  const name = sql`${external_order_id} || '/' || n`
  const different: Record<string, RawBuilder<unknown>> = {
    id: sql`uuidv7()`,
    seq: sql`o.seq + n`,
    external_order_id: name,
    request: sql`replace(o.request::text, ${external_order_id}, ${name})::json`,
  }
  const columns = await columnsOf(stores, 'orders')
  await sql`
    insert into orders (${sql.join(columns.map((column) => sql.id(column)))})
    select ${sql.join(columns.map((column) => different[column] ?? sql.ref(`o.${column}`)))}
    from orders o, generate_series(${done + 1}::integer, ${done + count}::integer) as n
    where o.org_id = ${owner.org_id} and o.mode = ${owner.mode}
      and o.external_order_id = ${external_order_id}`.execute(stores.db)
}

async function columnsOf({ db }: Stores, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`.execute(db)
  return rows.map(({ name }) => name)
}
