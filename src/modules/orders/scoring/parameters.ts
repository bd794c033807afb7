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

/** What is other than the defaults: `{section: {name: number}}`. */
export type OrderOverrides = Record<string, Record<string, number>>

/** A member that cannot be what it is given as; `field` is its path. */
export class RulesFault extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Overlays a draft on the defaults. @throws RulesFault naming the first member that is wrong */
export function readOrderParameters(json: unknown): OrderParameters {
  const draft = membersOf(json, 'The rules file', '')
  const overlaid: OrderOverrides = { ...SECTIONS }
  for (const [section, values] of Object.entries(draft)) {
    const defaults = own(SECTIONS, section)
    if (defaults === undefined) throw unknownMember(section)
    const numbers: Record<string, number> = { ...defaults }
    for (const [name, value] of Object.entries(membersOf(values, `"${section}"`, section))) {
      if (own(defaults, name) === undefined) throw unknownMember(`${section}.${name}`)
      numbers[name] = numberOf(section, name, value)
    }
    overlaid[section] = numbers
  }
  const parameters = overlaid as unknown as OrderParameters
  const { fast_kmh, impossible_kmh } = parameters.places
  if (impossible_kmh <= fast_kmh) {
    const field = 'places.impossible_kmh'
    throw new RulesFault(field, `"${field}" must be more than "places.fast_kmh"`)
  }
  return parameters
}

/** Of rules that were in force once, whatever is still known and allowed counts. Never throws. */
export function storedOrderParameters(overrides: unknown): OrderParameters {
  const whole = readable(overrides)
  if (whole) return whole
  let kept: OrderOverrides = {}
  for (const [section, values] of entriesOf(overrides)) {
    for (const [name, value] of entriesOf(values)) {
      const next = { ...kept, [section]: { ...kept[section], [name]: value as number } }
      if (readable(next)) kept = next
    }
  }
  return readOrderParameters(kept)
}

const entriesOf = (json: unknown) => Object.entries(typeof json === 'object' ? (json ?? {}) : {})

function readable(overrides: unknown): OrderParameters | undefined {
  try {
    return readOrderParameters(overrides)
  } catch {
    return undefined
  }
}

/** What of them is other than the defaults. */
export function overridesOf(parameters: OrderParameters): OrderOverrides {
  const overrides: OrderOverrides = {}
  for (const [section, values] of Object.entries(parameters as unknown as OrderOverrides)) {
    const changed = Object.entries(values).filter(
      ([name, value]) => value !== SECTIONS[section]?.[name],
    )
    if (changed.length > 0) overrides[section] = Object.fromEntries(changed)
  }
  return overrides
}

/** What a member may be; both ends are allowed. */
export function limitsOf(section: string, name: string): { min: number; max: number } {
  const min = DIVISORS.has(name) ? DIVISOR_MIN : 0
  if (section === 'weights') return { min, max: WEIGHT_MAX }
  const isScore = section === 'flag_scores' || /(^|_)score(_max)?$/.test(name)
  return { min, max: isScore || name === 'check_risk_min' ? SCORE_MAX : NUMBER_MAX }
}

const SECTIONS = DEFAULT_ORDER_PARAMETERS as unknown as OrderOverrides
/** A weight of 1 would make every other signal mute. */
const WEIGHT_MAX = 0.99
const SCORE_MAX = 100
/** Beyond all sense; what is computed with it stays finite. */
const NUMBER_MAX = 1_000_000
const DIVISORS: ReadonlySet<string> = new Set([
  'profile_per_day',
  'device_people',
  'ip_people',
  'impossible_score',
])
const DIVISOR_MIN = 0.01

function numberOf(section: string, name: string, value: unknown): number {
  const field = `${section}.${name}`
  const fault = (must: string) => new RulesFault(field, `"${field}" must be ${must}`)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw fault('a number from 0 on')
  }
  const { min, max } = limitsOf(section, name)
  if (value > max) throw fault(`at most ${max}`)
  if (value === 0 && min > 0) throw fault('more than 0')
  if (value < min) throw fault(`at least ${min}`)
  // As it comes back from the database, which has no -0.
  return value === 0 ? 0 : value
}

const unknownMember = (field: string) =>
  new RulesFault(field, `There is no "${field}" among the rules`)

function membersOf(json: unknown, name: string, field: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new RulesFault(field, `${name} must be an object`)
  }
  return json as Record<string, unknown>
}

const own = <T>(object: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
