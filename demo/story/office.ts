/** The organisation, and those who work with the console. */
import type { Plan, Role } from '../../src/platform/postgres/tables/accounts.ts'

export const ORGANIZATION: { name: string; plan: Plan } = {
  name: 'Northwind Supermarkets',
  plan: 'business',
}

/** Whoever tries it out signs in as this one. */
export const OWNER = 'owner@northwind.example'

export const COLLEAGUES: readonly { email: string; role: Role; decides: boolean }[] = [
  { email: 'mara.lindqvist@northwind.example', role: 'admin', decides: true },
  { email: 'jonas.okeke@northwind.example', role: 'member', decides: true },
  { email: 'priya.nair@northwind.example', role: 'member', decides: false },
]

/** At the beginning of the story, and on the first of each month in it. */
export const CREDITS_PER_MONTH = 40_000

/** Has not answered yet. */
export const INVITED = {
  email: 'luca.moretti@northwind.example',
  role: 'member',
  hours_ago: 5,
} as const

/** Rules of orders that were changed in the course of the month, each on top of the one before. */
export const RULE_CHANGES: readonly {
  at_share: number
  note: string
  overrides: Record<string, Record<string, number>>
}[] = [
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

/** Rules that somebody tried on the month and did not apply. */
export const TRIED_RULES: Record<string, Record<string, number>> = {
  history: { held_back_score: 65 },
  weights: { time_anomaly: 0.38, device_anomaly: 0.7, pattern: 0.95 },
}

/** Views of the logs that somebody comes back to, by the names of their filters. */
export const SAVED_SEARCHES: readonly { name: string; filters: Record<string, string> }[] = [
  {
    name: 'Printers since the update',
    filters: { range: '7d', level: 'error,fatal', category: 'printing' },
  },
  { name: 'Network in Groningen', filters: { range: '24h', category: 'network', q: 'gateway' } },
]
