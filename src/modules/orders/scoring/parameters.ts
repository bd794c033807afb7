/**
 * The adjustable numbers of the scoring in one table. Drafts, such as a file for `vigil replay`,
 * contain only the numbers that differ from the defaults.
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
} from '../../behavior/index.ts'
import { recordOf } from '../../risk/index.ts'
import type { OrderSignal } from './signals.ts'

export type OrderParameters = {
  /** Part of the score that each signal can reach alone at full strength, 0-1. */
  readonly weights: Readonly<Record<OrderSignal, number>>
  /** Strength from which a signal raises its flag, 0-100. */
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
  /** An organization with fewer orders is new, and statistics have a limited effect. */
  readonly known_orders: number
  /** The highest score that statistics can give an order of a new organization. */
  readonly new_score_max: number
  /** Orders with at least this score are not learned until they are decided to be legitimate. */
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
  history: { known_orders: 30, new_score_max: 49, held_back_score: 65 },
  velocity: VELOCITY_PARAMETERS,
  amounts: AMOUNTS_PARAMETERS,
  hours: HOURS_PARAMETERS,
  places: PLACES_PARAMETERS,
  devices: DEVICES_PARAMETERS,
  payments: PAYMENTS_PARAMETERS,
}

/** The numbers that differ from the defaults: `{section: {name: number}}`. */
export type RuleOverrides = Record<string, Record<string, number>>

/** Any set of parameters as numbers by section and name. */
export type NumbersBySection = Readonly<Record<string, Readonly<Record<string, number>>>>

/** A draft contains an unknown member or an invalid value; `field` is its path. */
export class RulesFault extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Overlays a draft on the defaults. @throws RulesFault for the first invalid member */
export function readOrderParameters(json: unknown): OrderParameters {
  const draft = membersOf(json, 'The rules', '')
  for (const section of Object.keys(draft)) {
    if (!Object.hasOwn(DEFAULT_ORDER_PARAMETERS, section)) throw unknownMember(section)
  }
  const sections = Object.keys(DEFAULT_ORDER_PARAMETERS) as (keyof OrderParameters)[]
  const parameters = recordOf(sections, (section) => overlaid(section, draft)) as OrderParameters
  const { fast_kmh, impossible_kmh } = parameters.places
  if (impossible_kmh <= fast_kmh) {
    const field = 'places.impossible_kmh'
    throw new RulesFault(field, `"${field}" must be more than "places.fast_kmh"`)
  }
  return parameters
}

/** Returns a section of the defaults with the numbers of the draft applied. */
function overlaid(
  section: keyof OrderParameters,
  draft: Record<string, unknown>,
): Readonly<Record<string, number>> {
  const defaults = DEFAULT_ORDER_PARAMETERS[section]
  if (!Object.hasOwn(draft, section)) return defaults
  const numbers: Record<string, number> = {}
  for (const [name, value] of Object.entries(membersOf(draft[section], `"${section}"`, section))) {
    if (!Object.hasOwn(defaults, name)) throw unknownMember(`${section}.${name}`)
    numbers[name] = numberOf(section, name, value)
  }
  return { ...defaults, ...numbers }
}

/**
 * Reads the overrides of a version that was once applied. A member that no longer exists, or whose
 * value is no longer allowed, falls back to its default. Never throws.
 */
export function storedOrderParameters(overrides: unknown): OrderParameters {
  const whole = readable(overrides)
  if (whole) return whole
  let allowed: RuleOverrides = {}
  for (const [section, values] of entriesOf(overrides)) {
    for (const [name, value] of entriesOf(values)) {
      const next = { ...allowed, [section]: { ...allowed[section], [name]: value as number } }
      if (readable(next)) allowed = next
    }
  }
  return readOrderParameters(allowed)
}

const entriesOf = (json: unknown) => Object.entries(typeof json === 'object' ? (json ?? {}) : {})

function readable(overrides: unknown): OrderParameters | undefined {
  try {
    return readOrderParameters(overrides)
  } catch {
    return undefined
  }
}

/** The numbers that differ from the defaults. */
export function overridesOf(parameters: NumbersBySection): RuleOverrides {
  const overrides: RuleOverrides = {}
  for (const [section, values] of Object.entries(parameters)) {
    const defaults = DEFAULTS_BY_SECTION[section]
    const changed = Object.entries(values).filter(([name, value]) => value !== defaults?.[name])
    if (changed.length > 0) overrides[section] = Object.fromEntries(changed)
  }
  return overrides
}

/** The smallest and the largest value of a member, both allowed. */
export function limitsOf(section: string, name: string): { min: number; max: number } {
  const min = DIVISORS.has(name) ? DIVISOR_MIN : 0
  if (section === 'weights') return { min, max: WEIGHT_MAX }
  const isScore = section === 'flag_scores' || /(^|_)score(_max)?$/.test(name)
  return { min, max: isScore || name === 'check_risk_min' ? SCORE_MAX : NUMBER_MAX }
}

const DEFAULTS_BY_SECTION: NumbersBySection = DEFAULT_ORDER_PARAMETERS
/** A weight of 1 would silence every other signal. */
const WEIGHT_MAX = 0.99
const SCORE_MAX = 100
/** Far beyond any sensible value, while all computations stay finite. */
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
    throw fault('a number of at least 0')
  }
  const { min, max } = limitsOf(section, name)
  if (value > max) throw fault(`at most ${max}`)
  if (value === 0 && min > 0) throw fault('more than 0')
  if (value < min) throw fault(`at least ${min}`)
  // The database has no -0, so stored rules compare equal.
  return value === 0 ? 0 : value
}

const unknownMember = (field: string) => new RulesFault(field, `Unknown rule "${field}"`)

function membersOf(json: unknown, name: string, field: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new RulesFault(field, `${name} must be an object`)
  }
  return json as Record<string, unknown>
}
