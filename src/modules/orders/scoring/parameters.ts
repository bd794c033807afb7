/**
 * Every number of the scoring that an operator may want to try another value of, in one table. A
 * draft file for `vigil replay` names only those that differ.
 */
import {
  AMOUNTS_PARAMETERS,
  type AmountsParameters,
  DEVICES_PARAMETERS,
  type DevicesParameters,
  HOURS_PARAMETERS,
  type HoursParameters,
  PAYMENTS_PARAMETERS,
  type PaymentsParameters,
  PLACES_PARAMETERS,
  type PlacesParameters,
  VELOCITY_PARAMETERS,
  type VelocityParameters,
} from '../../behaviour/index.ts'
import type { OrderSignal } from './signals.ts'

export type OrderParameters = {
  /** How much of the score each signal can make on its own when it is certain, 0-1. */
  readonly weights: Readonly<Record<OrderSignal, number>>
  /** Strength from which on a signal raises its flag, 0-100. */
  readonly flag_scores: Readonly<Record<OrderSignal, number>>
  readonly history: HistoryParameters
  readonly velocity: VelocityParameters
  readonly amounts: AmountsParameters
  readonly hours: HoursParameters
  readonly places: PlacesParameters
  readonly devices: DevicesParameters
  readonly payments: PaymentsParameters
}

export type HistoryParameters = {
  /** An organisation with fewer orders is new: statistics say little there. */
  readonly known_orders: number
  /** The most that statistics may make of an order of a new organisation. */
  readonly new_score_max: number
  /** Orders from this score on teach nothing until they are decided to be legitimate. */
  readonly held_back_score: number
}

export const DEFAULT_ORDER_PARAMETERS: OrderParameters = {
  weights: {
    velocity: 0.75,
    amount_anomaly: 0.7,
    location_anomaly: 0.8,
    device_anomaly: 0.8,
    time_anomaly: 0.45,
    pattern: 0.9,
  },
  flag_scores: {
    velocity: 50,
    amount_anomaly: 50,
    location_anomaly: 50,
    device_anomaly: 50,
    time_anomaly: 60,
    pattern: 50,
  },
  history: { known_orders: 30, new_score_max: 49, held_back_score: 70 },
  velocity: VELOCITY_PARAMETERS,
  amounts: AMOUNTS_PARAMETERS,
  hours: HOURS_PARAMETERS,
  places: PLACES_PARAMETERS,
  devices: DEVICES_PARAMETERS,
  payments: PAYMENTS_PARAMETERS,
}

/** Overlays a draft file on the defaults. @throws Error naming the first member that is wrong */
export function readOrderParameters(json: unknown): OrderParameters {
  const draft = membersOf(json, 'The rules file')
  const sections = DEFAULT_ORDER_PARAMETERS as unknown as Record<string, Record<string, number>>
  const overlaid: Record<string, Record<string, number>> = { ...sections }
  for (const [section, values] of Object.entries(draft)) {
    const defaults = own(sections, section)
    if (defaults === undefined) throw new Error(`There is no "${section}" among the rules`)
    const numbers: Record<string, number> = { ...defaults }
    for (const [name, value] of Object.entries(membersOf(values, `"${section}"`))) {
      const field = `"${section}.${name}"`
      if (own(defaults, name) === undefined) throw new Error(`There is no ${field} among the rules`)
      if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
        throw new Error(`${field} must be a number from 0 on`)
      }
      const max = limitOf(section, name)
      if (max !== undefined && value > max) throw new Error(`${field} must be at most ${max}`)
      if (value === 0 && DIVISORS.has(name)) throw new Error(`${field} must be more than 0`)
      numbers[name] = value
    }
    overlaid[section] = numbers
  }
  return overlaid as unknown as OrderParameters
}

/** A weight of 1 would make every other signal mute. */
const WEIGHT_MAX = 0.99
const DIVISORS: ReadonlySet<string> = new Set(['profile_per_day', 'device_people', 'ip_people'])

function limitOf(section: string, name: string): number | undefined {
  if (section === 'weights') return WEIGHT_MAX
  return section === 'flag_scores' || /(^|_)score(_max)?$/.test(name) ? 100 : undefined
}

function membersOf(json: unknown, name: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error(`${name} must be an object`)
  }
  return json as Record<string, unknown>
}

const own = <T>(object: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
