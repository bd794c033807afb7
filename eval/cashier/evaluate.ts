/** Measures how soon thieves at the till are found, and how often honest cashiers are flagged. */
import type { CashierFlag } from '../../src/modules/cashier/index.ts'
import { createRandom } from '../../src/platform/random.ts'
import { storeDay } from '../../world/shifts.ts'
import { THEFT_KINDS, type Theft } from '../../world/stores.ts'
import { DAY_MS } from '../../world/time.ts'
import { actionFacts, saleFacts } from './facts.ts'
import { createFold } from './fold.ts'
import { createCashierChain, FIRST_DAY_MS, STORES, TIMES } from './stores.ts'

/** Flags of the first weeks are counted separately, because no cashier is known yet. */
const WARM_UP_DAYS = 21
const THEFTS_FROM_DAY = 28

export type CashierEvaluation = {
  days: number
  stores: number
  seeds: number[]
  sales: number
  actions: number
  shifts: number
  thefts: Detection[]
  honest: Alarms
  warm_up: Alarms
  state_writes_per_sale: number
  state_bytes: Record<string, number>
  microseconds_per_event: number
}

export type Detection = {
  kind: Theft['kind']
  times: number
  thieves: number
  within_7_days: number
  within_30_days: number
  within_60_days: number
  /** null when fewer than half were found */
  median_days: number | null
}

export type Alarms = {
  shifts: number
  /** Actions with any flag, and shifts with any such action, per 1,000 shifts */
  flags_per_1000_shifts: number
  flagged_shifts_per_1000: number
  /** Share of the cashiers who ever had a flag */
  cashiers_share: number
  by_flag: Partial<Record<CashierFlag, number>>
}

export type CashierOptions = {
  isQuick: boolean
  seed: number
  seeds: number
  onProgress: (step: string) => void
}

export type CashierSize = { stores: number; days: number }

/** Flags that name the theft; any other flag is luck. */
const NAMING: Readonly<Record<Theft['kind'], readonly CashierFlag[]>> = {
  void_skimming: ['excessive_voids'],
  fake_refunds: ['excessive_refunds', 'round_number_refund'],
  no_sale_skimming: ['drawer_anomaly'],
  sweethearting: ['discount_abuse'],
  closing_refunds: ['excessive_refunds', 'round_number_refund', 'excessive_voids'],
}

export function evaluateCashier(options: CashierOptions): CashierEvaluation {
  const seeds = Array.from({ length: options.seeds }, (_, index) => options.seed + index)
  const size = options.isQuick ? { stores: 14, days: 70 } : { stores: STORES, days: 103 }
  return evaluateSeeds(seeds, size, options.onProgress)
}

export function evaluateSeeds(
  seeds: number[],
  size: CashierSize,
  onProgress: CashierOptions['onProgress'],
): CashierEvaluation {
  const totals = createTotals()
  for (const seed of seeds) {
    onProgress(`seed ${seed}`)
    runSeed(seed, size, totals)
  }
  const { sales, actions, writes, ms, honest, warm_up } = totals
  return {
    ...size,
    seeds,
    sales,
    actions,
    shifts: honest.shifts + warm_up.shifts,
    thefts: detectionsOf(totals.found),
    honest: alarmsOf(honest),
    warm_up: alarmsOf(warm_up),
    state_writes_per_sale: writes / sales,
    state_bytes: totals.bytes,
    microseconds_per_event: (ms * 1000) / (sales + actions),
  }
}

type Found = { kind: Theft['kind']; times: number; days: number | undefined }

const createTally = () => ({
  shifts: 0,
  flags: 0,
  flagged_shifts: new Set<string>(),
  flagged: new Set<string>(),
  cashiers: new Set<string>(),
  by_flag: {} as Alarms['by_flag'],
})
type Tally = ReturnType<typeof createTally>

const createTotals = () => ({
  sales: 0,
  actions: 0,
  /** States written by sales */
  writes: 0,
  ms: 0,
  bytes: {} as Record<string, number>,
  found: [] as Found[],
  honest: createTally(),
  warm_up: createTally(),
})
type Totals = ReturnType<typeof createTotals>

function runSeed(seed: number, { stores, days }: CashierSize, totals: Totals): void {
  const random = createRandom(seed, 'cashier')
  const chain = createCashierChain(random, { stores, thefts_from_day: THEFTS_FROM_DAY })
  const fold = createFold()
  const writes = () => fold.writes.cashier + fold.writes.till + fold.writes.store
  const foundAfter = new Map<string, number>()
  for (let number = 0; number < days; number += 1) {
    const tally = number < WARM_UP_DAYS ? totals.warm_up : totals.honest
    const day = FIRST_DAY_MS + number * DAY_MS
    for (const store of chain.stores) {
      const events = storeDay(chain, store, day).toSorted((a, b) => a.at - b.at)
      const started = performance.now()
      for (const event of events) {
        if (event.type === 'order') {
          const before = writes()
          const { shift } = event.sold ?? {}
          if (shift) fold.sell(saleFacts(event, shift), event.at)
          totals.sales += 1
          totals.writes += writes() - before
          continue
        }
        const { flags } = fold.act(actionFacts(event), event.at).fraud
        const { id, theft } = event.shift.cashier
        totals.actions += 1
        if (theft === undefined || day < theft.from) {
          countHonest(tally, { cashier: `${seed} ${id}`, day, action: event.action, flags })
        } else if (!foundAfter.has(id) && flags.some((flag) => NAMING[theft.kind].includes(flag))) {
          foundAfter.set(id, (event.at - theft.from) / DAY_MS)
        }
      }
      totals.ms += performance.now() - started
    }
  }
  for (const { id, theft } of chain.stores.flatMap(({ cashiers }) => cashiers)) {
    if (theft) totals.found.push({ ...theft, days: foundAfter.get(id) })
  }
  for (const [kind, bytes] of Object.entries(fold.sizes())) {
    totals.bytes[kind] = Math.max(totals.bytes[kind] ?? 0, bytes)
  }
}

type Judged = { cashier: string; day: number; action: string; flags: readonly CashierFlag[] }

function countHonest(tally: Tally, { cashier, day, action, flags }: Judged): void {
  tally.cashiers.add(cashier)
  if (action === 'shift_end') tally.shifts += 1
  if (flags.length === 0) return
  tally.flags += 1
  tally.flagged.add(cashier)
  tally.flagged_shifts.add(`${cashier} ${day}`)
  for (const flag of flags) tally.by_flag[flag] = (tally.by_flag[flag] ?? 0) + 1
}

function alarmsOf(tally: Tally): Alarms {
  const per1000 = (count: number) => (tally.shifts === 0 ? 0 : (1000 * count) / tally.shifts)
  return {
    shifts: tally.shifts,
    flags_per_1000_shifts: per1000(tally.flags),
    flagged_shifts_per_1000: per1000(tally.flagged_shifts.size),
    cashiers_share: tally.cashiers.size === 0 ? 0 : tally.flagged.size / tally.cashiers.size,
    by_flag: Object.fromEntries(
      Object.entries(tally.by_flag).map(([flag, count]) => [flag, per1000(count)]),
    ),
  }
}

const detectionsOf = (found: readonly Found[]): Detection[] =>
  THEFT_KINDS.flatMap((kind) =>
    TIMES.map((times) => {
      const thieves = found.filter((each) => each.kind === kind && each.times === times)
      const days = thieves.map((each) => each.days ?? Infinity).toSorted((a, b) => a - b)
      const within = (limit: number) =>
        thieves.length === 0 ? 0 : days.filter((each) => each <= limit).length / thieves.length
      const median = days[Math.ceil(days.length / 2) - 1] ?? Infinity
      return {
        kind,
        times,
        thieves: thieves.length,
        within_7_days: within(7),
        within_30_days: within(30),
        within_60_days: within(60),
        median_days: Number.isFinite(median) ? median : null,
      }
    }),
  )
