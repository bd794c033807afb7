/** How soon thieves at the till are found, and how often honest cashiers are flagged. */
import type { CashierFlag, CashierParameters } from '../../src/modules/cashier/index.ts'
import { createRandom } from '../../src/platform/random.ts'
import { createDay, FIRST_DAY_MS, seasonOf } from './day.ts'
import { createFold } from './fold.ts'
import { printCashier } from './report.ts'
import { createStores, STORES, type Theft, TIMES } from './world.ts'

const DAY_MS = 86_400_000
/** Flags of the first weeks are counted apart: nothing is known of anybody yet. */
const WARM_UP_DAYS = 21
const THEFT_FROM_DAY = 28

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
  /** Actions with any flag, and shifts with any such action, per 1,000 shifts. */
  flags_per_1000_shifts: number
  flagged_shifts_per_1000: number
  /** Cashiers with any flag, of all. */
  cashiers_share: number
  by_flag: Partial<Record<CashierFlag, number>>
}

export type CashierOptions = {
  asJson: boolean
  isQuick: boolean
  seed: number
  seeds: number
  tell: (step: string) => void
}

/** Flags that name the theft; any other one is luck. */
const NAMING: Readonly<Record<Theft['kind'], readonly CashierFlag[]>> = {
  void_skimming: ['excessive_voids'],
  fake_refunds: ['excessive_refunds', 'round_number_refund'],
  no_sale_skimming: ['drawer_anomaly'],
  sweethearting: ['discount_abuse'],
}

export function evaluateCashier(options: CashierOptions): string {
  const seeds = Array.from({ length: options.seeds }, (_, index) => options.seed + index)
  const size = options.isQuick ? { stores: 14, days: 70 } : { stores: STORES, days: 103 }
  const result = evaluateSeeds(seeds, size, options.tell)
  return options.asJson ? JSON.stringify(result) : printCashier(result)
}

export function evaluateSeeds(
  seeds: number[],
  { stores, days }: { stores: number; days: number },
  tell: (step: string) => void,
  parameters?: CashierParameters,
): CashierEvaluation {
  const totals = { sales: 0, actions: 0, writes: 0, ms: 0, bytes: {} as Record<string, number> }
  const found: Found[] = []
  const honest = emptyTally()
  const warmUp = emptyTally()
  for (const seed of seeds) {
    tell(`seed ${seed}`)
    runSeed(seed, stores, days, { totals, found, honest, warmUp }, parameters)
  }
  return {
    days,
    stores,
    seeds,
    sales: totals.sales,
    actions: totals.actions,
    shifts: honest.shifts + warmUp.shifts,
    thefts: detectionsOf(found),
    honest: alarmsOf(honest),
    warm_up: alarmsOf(warmUp),
    state_writes_per_sale: totals.writes / totals.sales,
    state_bytes: totals.bytes,
    microseconds_per_event: (totals.ms * 1000) / (totals.sales + totals.actions),
  }
}

type Found = { kind: Theft['kind']; times: number; days: number | undefined }

type Tally = {
  shifts: number
  flags: number
  flagged_shifts: Set<string>
  flagged: Set<string>
  cashiers: Set<string>
  by_flag: Partial<Record<CashierFlag, number>>
}

const emptyTally = (): Tally => ({
  shifts: 0,
  flags: 0,
  flagged_shifts: new Set(),
  flagged: new Set(),
  cashiers: new Set(),
  by_flag: {},
})

type Collected = {
  totals: {
    sales: number
    actions: number
    writes: number
    ms: number
    bytes: Record<string, number>
  }
  found: Found[]
  honest: Tally
  warmUp: Tally
}

function runSeed(
  seed: number,
  storeCount: number,
  days: number,
  { totals, found, honest, warmUp }: Collected,
  parameters: CashierParameters | undefined,
): void {
  const random = createRandom(seed, 'cashier')
  const stores = createStores(random, storeCount, THEFT_FROM_DAY)
  const fold = createFold(parameters)
  const foundOn = new Map<string, number>()
  for (let day = 0; day < days; day += 1) {
    const tally = day < WARM_UP_DAYS ? warmUp : honest
    for (const store of stores) {
      const { events } = createDay(random.fork(store.name), store, day, seasonOf(day))
      const started = performance.now()
      for (const event of events) {
        const writesBefore = fold.writes.cashier + fold.writes.till + fold.writes.store
        const scored = fold.apply(event)
        const { theft, id } = event.cashier
        const name = `${seed} ${id}`
        if (scored === undefined) {
          totals.sales += 1
          totals.writes += fold.writes.cashier + fold.writes.till + fold.writes.store - writesBefore
          continue
        }
        totals.actions += 1
        const isThief = theft !== undefined && day >= theft.from_day
        if (isThief) {
          const isNamed = scored.fraud.flags.some((flag) => NAMING[theft.kind].includes(flag))
          const since = (event.at - FIRST_DAY_MS) / DAY_MS - theft.from_day
          if (isNamed && !foundOn.has(name)) foundOn.set(name, since)
          continue
        }
        countHonest(tally, name, day, event.facts, scored.fraud.flags)
      }
      totals.ms += performance.now() - started
    }
  }
  for (const { id, theft } of stores.flatMap(({ cashiers }) => cashiers)) {
    if (theft)
      found.push({ kind: theft.kind, times: theft.times, days: foundOn.get(`${seed} ${id}`) })
  }
  for (const [kind, bytes] of Object.entries(fold.sizes())) {
    totals.bytes[kind] = Math.max(totals.bytes[kind] ?? 0, bytes)
  }
}

function countHonest(
  tally: Tally,
  name: string,
  day: number,
  facts: object,
  flags: readonly CashierFlag[],
): void {
  tally.cashiers.add(name)
  if ('action_type' in facts && facts.action_type === 'shift_end') tally.shifts += 1
  if (flags.length === 0) return
  tally.flags += 1
  tally.flagged.add(name)
  tally.flagged_shifts.add(`${name} ${day}`)
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

function detectionsOf(found: readonly Found[]): Detection[] {
  const kinds = Object.keys(NAMING) as Theft['kind'][]
  return kinds.flatMap((kind) =>
    TIMES.map((times) => {
      const thieves = found.filter((each) => each.kind === kind && each.times === times)
      const days = thieves
        .map((each) => each.days ?? Number.POSITIVE_INFINITY)
        .toSorted((a, b) => a - b)
      const within = (limit: number) =>
        thieves.length === 0 ? 0 : days.filter((each) => each <= limit).length / thieves.length
      const median = days[Math.ceil(days.length / 2) - 1]
      return {
        kind,
        times,
        thieves: thieves.length,
        within_7_days: within(7),
        within_30_days: within(30),
        within_60_days: within(60),
        median_days: median === undefined || !Number.isFinite(median) ? null : median,
      }
    }),
  )
}
