/**
 * Reads the content of a report of the device SDK. A member that is missing or has another form than documented is
 * unknown, and members that are not listed here are not kept.
 */
import { isObject } from '../../../platform/is-object.ts'

export type DeviceFacts = {
  fingerprint_hash?: string
  /** `browser`: measured; `storage`: a random id that the browser stores. */
  fingerprint_source?: string
  /** How likely two devices with the same fingerprint are the same one, 0 to 1. */
  confidence?: number
  platform?: string
  is_mobile?: boolean
  touch_points?: number
  webdriver?: boolean
  bot_kind?: string
  alterations?: string[]
  renderer?: string
}

type Behavior = { [name in (typeof BEHAVIOR)[number]]?: number }

export type SignedReport = {
  id: string
  issued_at: Date
  device: DeviceFacts
  behavior: Behavior
}

/** Hashes have 32 characters, names of graphics drivers about 100. */
const TEXT_MAX_CHARS = 200
const ALTERATIONS_MAX = 20
/** 16 random bytes in base64url. */
const ID = /^[\w-]{22}$/
/** NUL is refused by PostgreSQL; other scripts do not occur in what browsers call themselves. */
const TEXT = /^[\x20-\x7e]+$/
const NUMBER_MAX = 1e9

const BEHAVIOR = [
  'page_ms',
  'form_ms',
  'fields',
  'insertions',
  'corrections',
  'pastes',
  'replacements',
  'scripted_changes',
  'interval_ms_median',
  'interval_ms_deviation',
  'clicks',
  'pointer_moves',
  'departures',
] as const

/** @returns undefined without an id and a time, which every report has */
export function readReport(value: unknown): SignedReport | undefined {
  if (!isObject(value)) return undefined
  const { id, issued_at, device, behavior } = value
  if (typeof id !== 'string' || !ID.test(id)) return undefined
  const time = typeof issued_at === 'number' ? new Date(issued_at) : undefined
  if (time === undefined || Number.isNaN(time.getTime())) return undefined
  return {
    id,
    issued_at: time,
    device: readDevice(isObject(device) ? device : {}),
    behavior: readBehavior(isObject(behavior) ? behavior : {}),
  }
}

const readDevice = (from: Record<string, unknown>): DeviceFacts =>
  given({
    fingerprint_hash: text(from['fingerprint_hash']),
    fingerprint_source: text(from['fingerprint_source']),
    confidence: number(from['confidence'], 1),
    platform: text(from['platform']),
    is_mobile: flag(from['is_mobile']),
    touch_points: number(from['touch_points']),
    webdriver: flag(from['webdriver']),
    bot_kind: text(from['bot_kind']),
    alterations: texts(from['alterations']),
    renderer: text(from['renderer']),
  })

function readBehavior(from: Record<string, unknown>): Behavior {
  const behavior: Behavior = {}
  for (const name of BEHAVIOR) {
    const value = number(from[name])
    if (value !== undefined) behavior[name] = value
  }
  return behavior
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= TEXT_MAX_CHARS && TEXT.test(value)
    ? value
    : undefined

const flag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const number = (value: unknown, max = NUMBER_MAX): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= max ? value : undefined

const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value)
    ? value.slice(0, ALTERATIONS_MAX).flatMap((one) => text(one) ?? [])
    : undefined

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function given<T extends Record<string, unknown>>(members: T): Given<T> {
  const known = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as Given<T>
}
