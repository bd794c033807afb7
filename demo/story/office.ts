/** The organization, the users of its console, and how its reviewers work. */
import type { Plan, Role } from '../../src/modules/accounts/tables.ts'
import type { Truth } from './event.ts'

export const ORGANIZATION: { name: string; plan: Plan } = {
  name: 'Northwind Supermarkets',
  plan: 'business',
}

/** The visitor of the demo signs in as this user. */
export const OWNER = 'owner@northwind.example'

export const COLLEAGUES: readonly { email: string; role: Role; decides: boolean }[] = [
  { email: 'mara.lindqvist@northwind.example', role: 'admin', decides: true },
  { email: 'jonas.okeke@northwind.example', role: 'member', decides: true },
  { email: 'priya.nair@northwind.example', role: 'member', decides: false },
]

/** Granted at the beginning of the story and on the first day of each month. */
export const CREDITS_PER_MONTH = 40_000

/** This user has not accepted the invitation yet. */
export const INVITED = {
  email: 'luca.moretti@northwind.example',
  role: 'member',
  hours_ago: 5,
} as const

type Rules = Record<string, Record<string, number>>

/** Changes of the order rules during the month, each on top of the one before. */
export const RULE_CHANGES: readonly { at_share: number; note: string; overrides: Rules }[] = [
  {
    at_share: 0.38,
    note: 'Learn less from doubtful orders, after the first takeovers',
    overrides: { history: { held_back_score: 65 } },
  },
  {
    at_share: 0.66,
    note: 'Shift workers order at night',
    overrides: { history: { held_back_score: 65 }, weights: { time_anomaly: 0.38 } },
  },
]

/** Order rules that a user replayed on the month and did not apply. */
export const TRIED_RULES: Rules = {
  history: { held_back_score: 65 },
  weights: { time_anomaly: 0.38, device_anomaly: 0.7, pattern: 0.95 },
}

/** Saved searches of the logs, by the names of their filters. */
export const SAVED_SEARCHES: readonly { name: string; filters: Record<string, string> }[] = [
  {
    name: 'Printers since the update',
    filters: { range: '7d', level: 'error,fatal', category: 'printing' },
  },
  { name: 'Network in Groningen', filters: { range: '24h', category: 'network', q: 'gateway' } },
]

export const REVIEWING = {
  /** Hours in UTC at which the reviewers go through the queue. */
  hours: [9, 15],
  /** Nothing is decided in the last hours, so that the visitor has something to decide. */
  stop_hours: 26,
  left_share: 0.02,
  note_share: 0.55,
  seconds_each: 95,
} as const

/** Notes of the reviewers. */
export const NOTES: Readonly<Partial<Record<Truth, readonly string[]>>> = {
  honest: [
    'Customer called back, order is theirs',
    'Bulk order for an event, confirmed by e-mail',
    'New telephone, same address and card',
    'Checked with the store, all in order',
  ],
  account_takeover: [
    'Owner did not order this; password was reset',
    'Parcel locker abroad, owner is at home',
    'Device unknown to the owner, order stopped',
  ],
  card_testing: [
    'Card testing, one device',
    'Cards of many issuers, one address',
    'Reported to the acquirer',
  ],
  device_farm: [
    'Same forwarding address as the others',
    'One household, twelve accounts',
    'Goods stopped at the depot',
  ],
  theft: [
    'No receipt exists for this refund',
    'Camera shows no customer at the till',
    'Passed on to the store manager',
  ],
}
