/**
 * The state that the client stores, and how calls of the app change it. It says what the service should
 * know, instead of a list of requests, so that it has a limited size however long a phone is offline.
 */
import type { Facts, NotificationData } from './types.ts'

export type Receipt = { message_id: string; kind: 'received' | 'clicked' }
export type FactName = keyof Facts

export type State = {
  v: 1
  registration_id: string | null
  subscription_id: string | null
  subscription_secret: string | null
  facts: Facts
  /** Facts that changed since the service last confirmed them. */
  unreported: FactName[]
  /** Time of the last registration or refresh, in milliseconds since 1970, as all times. */
  reported_at: number
  user: string | null
  is_user_current: boolean
  /** Assertions for this user that the service refused in a row. */
  identity_refusals: number
  is_unsubscribed: boolean
  receipts: Receipt[]
  /** Failed requests in a row. */
  failures: number
  wait_until: number
  /** Whether a 429 is the reason to wait. */
  is_limited: boolean
}

export const RECEIPTS_WAITING_MAX = 200
const FACT_NAMES = ['token', 'permission', 'locale', 'app_version', 'time_zone'] as const
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const newState = (): State => ({
  v: 1,
  registration_id: null,
  subscription_id: null,
  subscription_secret: null,
  facts: {},
  unreported: [],
  reported_at: 0,
  user: null,
  is_user_current: true,
  identity_refusals: 0,
  is_unsubscribed: false,
  receipts: [],
  failures: 0,
  wait_until: 0,
  is_limited: false,
})

/** A text that cannot be read, or that a later version wrote, is replaced: the app registers again. */
export function readState(text: string | null): State {
  try {
    const stored = JSON.parse(text ?? '') as Partial<State> | null
    if (stored?.v === 1) return { ...newState(), ...stored }
  } catch {}
  return newState()
}

/** @returns whether a fact changed */
export function setFacts(state: State, facts: Facts): boolean {
  const changed = FACT_NAMES.filter(
    (name) => facts[name] !== undefined && facts[name] !== state.facts[name],
  )
  for (const name of changed) Object.assign(state.facts, { [name]: facts[name] })
  state.unreported = [...new Set([...state.unreported, ...changed])]
  return changed.length > 0
}

export function setUser(state: State, user: string | null): void {
  if (user === state.user) return
  Object.assign(state, { user, is_user_current: false, identity_refusals: 0 })
}

export function setUnsubscribed(state: State): void {
  setUser(state, null)
  Object.assign(state, { is_unsubscribed: true, receipts: [] })
}

/** The oldest receipt is dropped when too many wait. */
export function addReceipt(state: State, data: NotificationData, kind: Receipt['kind']): void {
  const message_id = data?.['vigil_message_id']
  if (typeof message_id !== 'string' || !UUID.test(message_id) || state.is_unsubscribed) return
  if (state.receipts.some((each) => each.message_id === message_id && each.kind === kind)) return
  state.receipts = [...state.receipts, { message_id, kind }].slice(-RECEIPTS_WAITING_MAX)
}

/** The subscription does not exist (any more). Its receipts would not count for another one. */
export function forget(state: State): void {
  Object.assign(state, {
    registration_id: null,
    subscription_id: null,
    subscription_secret: null,
    unreported: [],
    reported_at: 0,
    is_user_current: state.user === null,
    identity_refusals: 0,
    receipts: [],
  })
}
