/** The costs of a period by API key, part and day. What no key caused is the rest of the costs of the parts. */
import { csvLine } from '../../platform/http/csv.ts'
import type { Period } from '../../platform/http/period.ts'
import type { Owner } from '../../platform/owner.ts'
import { amountOf, type Price, toCredits, toUnits } from '../billing/index.ts'
import type { KeyCosts, MeterCosts } from './schema.ts'
import type { Volumes } from './service.ts'

/** What people see of a key. */
export type KeyName = { name: string; key_hint: string }
export type KeyNames = ReadonlyMap<string, KeyName>

/** Usage of a day; `key_id` is null for what no key caused. */
type Share = {
  key_id: string | null
  day: number
  meter: string
  quantity: number
  cost_units: number
}

export const COST_LINES_MAX = 50_000

/** @param meters the costs of all usage in the period */
export async function readShares(
  volumes: Volumes,
  owner: Owner,
  { days, to }: Period,
  meters: readonly MeterCosts[],
): Promise<Share[]> {
  const bounds = [...days.map(({ starts_at }) => starts_at), to]
  const ofKeys: Share[] = await volumes.readKeys(owner, bounds)
  const sums = new Map<string, { quantity: number; cost_units: number }>()
  for (const { day, meter, quantity, cost_units } of ofKeys) {
    const sum = sums.get(`${meter} ${day}`) ?? { quantity: 0, cost_units: 0 }
    sum.quantity += quantity
    sum.cost_units += cost_units
    sums.set(`${meter} ${day}`, sum)
  }
  const rest = meters.flatMap(({ meter, quantity: quantities, credits }) =>
    quantities.flatMap((all, day) => {
      const sum = sums.get(`${meter} ${day}`) ?? { quantity: 0, cost_units: 0 }
      // Usage can arrive between both readings.
      const quantity = Math.max(0, all - sum.quantity)
      const cost_units = Math.max(0, toUnits(credits[day] ?? 0) - sum.cost_units)
      return quantity + cost_units === 0 ? [] : [{ key_id: null, day, meter, quantity, cost_units }]
    }),
  )
  return [...ofKeys, ...rest]
}

/** The most expensive first. */
export function costsOfKeys(shares: readonly Share[], days: number, names: KeyNames): KeyCosts[] {
  const units = new Map<string | null, number[]>()
  for (const { key_id, day, cost_units } of shares) {
    const ofDays = units.get(key_id) ?? Array.from({ length: days }, () => 0)
    ofDays[day] = (ofDays[day] ?? 0) + cost_units
    units.set(key_id, ofDays)
  }
  return [...units]
    .map(([key_id, ofDays]) => ({
      key_id,
      name: namesOf(key_id, names).name,
      key_hint: namesOf(key_id, names).key_hint,
      credits: ofDays.map(toCredits),
      total_credits: toCredits(ofDays.reduce((sum, each) => sum + each, 0)),
      meters: partsOf(shares.filter((share) => share.key_id === key_id)),
    }))
    .toSorted((a, b) => b.total_credits - a.total_credits)
}

function partsOf(shares: readonly Share[]): KeyCosts['meters'] {
  return [...new Set(shares.map(({ meter }) => meter))].map((meter) => {
    const ofPart = shares.filter((share) => share.meter === meter)
    return {
      meter,
      total_quantity: ofPart.reduce((sum, { quantity }) => sum + quantity, 0),
      total_credits: toCredits(ofPart.reduce((sum, { cost_units }) => sum + cost_units, 0)),
    }
  })
}

const namesOf = (key_id: string | null, names: KeyNames): KeyName =>
  (key_id === null ? undefined : names.get(key_id)) ?? { name: '', key_hint: '' }

const COLUMNS = ['day', 'part', 'key', 'key_name', 'quantity', 'credits', 'amount', 'currency']

/** A line for each part and key of a day; undefined when they are too many. */
export function costsAsCsv(
  shares: readonly Share[],
  { days, names, price }: { days: readonly string[]; names: KeyNames; price: Price | null },
): string | undefined {
  if (shares.length > COST_LINES_MAX) return undefined
  const lines = shares
    .toSorted((a, b) => a.day - b.day)
    .map(({ key_id, day, meter, quantity, cost_units }) => {
      const { name, key_hint } = namesOf(key_id, names)
      const credits = toCredits(cost_units)
      const amount = price === null ? null : amountOf(credits, price)
      const currency = price?.currency ?? null
      return csvLine([days[day] ?? '', meter, key_hint, name, quantity, credits, amount, currency])
    })
  return csvLine(COLUMNS) + lines.join('')
}
