/**
 * Orders of profiles with few, many and very many past orders, in a process of its own and without
 * HTTP. All are customers of one organisation and take turns, many short runs each; the one with few
 * past orders is another one in each round, because it would not have few for long.
 */
import { sql } from 'kysely'
import { Client } from 'pg'
import type { Owner } from '../src/modules/orders/service.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'
import type { Stores } from '../src/stores.ts'
import { addOrganization, createScore, openBenchStores, type Score } from './core.ts'
import { createPast, type Past } from './growth-past.ts'
import type { GrowthRun, StateSize } from './growth-report.ts'
import { type Customer, customerOf, onlineOrder } from './order-requests.ts'
import { serveJobs } from './worker.ts'

export type GrowthJob =
  | { step: 'fill'; data_dir: string; address: PostgresAddress; past_orders: number }
  | { step: 'measure'; rounds: number }

export type GrowthResult = { runs: GrowthRun[]; sizes: StateSize[] }

type Profile = { customer: Customer; past_orders: number; orders: number }

const FEW_ORDERS = 10
const MANY_ORDERS = 10_000
const ROUNDS_PER_ROUND = 10
/** How many orders a run has, by the number of callers. */
const RUNS = [
  { callers: 1, warm: 10, orders: 200 },
  { callers: 32, warm: 64, orders: 640 },
]
/** The shortest time between two orders of a profile at which nobody is surprised by the next. */
const STEP_MS = 20 * 60_000
/** Room for what is measured: the orders of the past end so long ago. */
const PAST_END_DAYS = 400
const DAY_MS = 86_400_000
const FILL_CALLERS = 64

export async function serveGrowth(): Promise<void> {
  let growth: Growth | undefined
  await serveJobs<GrowthJob, GrowthResult, string>(async (job, tell) => {
    if (job.step === 'fill') {
      growth = await fill(job, tell)
      return { runs: [], sizes: [] }
    }
    if (!growth) throw new Error('nothing to measure yet')
    return await measure(growth, job.rounds, tell)
  })
}

type Growth = {
  stores: Stores
  owner: Owner
  score: Score
  profiles: Profile[]
  timeOf: (number: number) => Date
}

type Tell = (step: string) => void

async function fill(
  { data_dir, address, past_orders }: Extract<GrowthJob, { step: 'fill' }>,
  tell: Tell,
): Promise<Growth> {
  const stores = await openBenchStores(data_dir)
  const owner = await addOrganization(stores)
  const end = stores.clock.now().getTime() - PAST_END_DAYS * DAY_MS
  const timeOf = (number: number) => new Date(end + number * STEP_MS)
  const profiles = [FEW_ORDERS, MANY_ORDERS, past_orders].map(
    (past): Profile => ({ customer: customerOf(past), past_orders: past, orders: 0 }),
  )
  const growth = { stores, owner, profiles, timeOf, score: await createScore(stores, owner) }
  const [, many, most] = profiles
  tell(`a profile with ${past_orders} past orders`)
  if (most) await createPast(pastOf(growth, most), tell)
  // Begins anew: what it remembers of that profile is no longer true.
  growth.score = await createScore(stores, owner)
  tell(`a profile with ${MANY_ORDERS} past orders`)
  if (many) await scorePast(growth, many)
  tell('tidying up behind it')
  await tidy(address)
  return growth
}

/** What would otherwise happen in the middle of a measurement. It may take longer than a request may. */
async function tidy(address: PostgresAddress): Promise<void> {
  const client = new Client(address)
  await client.connect()
  try {
    await client.query('vacuum (analyze) orders')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const pastOf = ({ stores, owner, score, timeOf }: Growth, profile: Profile): Past => ({
  stores,
  owner,
  score,
  orders: profile.past_orders,
  order: (number) => orderOf(profile, number - profile.past_orders, timeOf),
})

const orderOf = ({ customer }: Profile, number: number, timeOf: Growth['timeOf']) =>
  onlineOrder(customer, `${customer.external_id}/${number}`, number, timeOf(number))

/** One after another as they come: the history of the profile ends where its measured orders begin. */
async function scorePast({ score, timeOf }: Growth, profile: Profile): Promise<void> {
  const first = profile.orders - profile.past_orders
  await together(FILL_CALLERS, profile.past_orders, async (index) => {
    await score(orderOf(profile, first + index, timeOf))
  })
}

async function measure(growth: Growth, rounds: number, tell: Tell): Promise<GrowthResult> {
  const runs: GrowthRun[] = []
  const [few, many, most] = growth.profiles
  if (!few || !many || !most) throw new Error('there are three profiles')
  for (let round = 0; round < rounds * ROUNDS_PER_ROUND; round += 1) {
    if (round % ROUNDS_PER_ROUND === 0)
      tell(`growth, round ${round / ROUNDS_PER_ROUND + 1} of ${rounds}`)
    for (const run of RUNS) {
      few.customer = customerOf(-1 - few.orders)
      await scorePast(growth, few)
      const turns = [few, many, most]
      for (const profile of round % 2 === 0 ? turns : turns.toReversed()) {
        const { past_orders } = profile
        runs.push({ round, past_orders, ...(await measureRun(growth, profile, run)) })
      }
    }
  }
  const sizes: StateSize[] = []
  for (const { customer, past_orders } of growth.profiles) {
    sizes.push({ past_orders, state_chars: await stateChars(growth, customer) })
  }
  return { runs, sizes }
}

async function measureRun(
  { score, timeOf }: Growth,
  profile: Profile,
  { callers, warm, orders }: (typeof RUNS)[number],
): Promise<Pick<GrowthRun, 'callers' | 'per_second' | 'flagged' | 'orders'>> {
  let flagged = 0
  const ask = async () => {
    profile.orders += 1
    if (await score(orderOf(profile, profile.orders, timeOf))) flagged += 1
  }
  await together(callers, warm, ask)
  flagged = 0
  const started = performance.now()
  await together(callers, orders, ask)
  const seconds = (performance.now() - started) / 1000
  return { callers, orders, per_second: orders / seconds, flagged }
}

/** @param ask told the number of the time, from 0 */
async function together(
  callers: number,
  times: number,
  ask: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const askInTurn = async () => {
    while (next < times) {
      next += 1
      await ask(next - 1)
    }
  }
  await Promise.all(Array.from({ length: callers }, askInTurn))
}

async function stateChars({ stores, owner }: Growth, { external_id }: Customer): Promise<number> {
  const { rows } = await sql<{ state_chars: number }>`
    select length(s.state::text) as state_chars
    from profiles p join states s on s.org_id = p.org_id and s.id = p.id
    where p.org_id = ${owner.org_id} and p.external_id = ${external_id}`.execute(stores.db)
  return rows[0]?.state_chars ?? Number.NaN
}
