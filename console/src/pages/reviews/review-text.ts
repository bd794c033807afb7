import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import { wordsOf } from '../../components/format.ts'

export const SUBJECT_NAMES = {
  order: 'Order',
  alert: 'Fraud alert',
  cashier_action: 'Cashier action',
} as const

export const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'decided', label: 'Decided' },
  { value: 'all', label: 'All' },
]

export const SUBJECTS = [
  { value: '', label: 'All' },
  { value: 'order', label: 'Orders' },
  { value: 'alert', label: 'Fraud alerts' },
  { value: 'cashier_action', label: 'Cashier actions' },
]

/** The name of the finding before the sentence: `impossible_travel: 8917 km …`. */
const NAMED_FINDING = /^[a-z_]+: (?=.)/

/** The reason for the review. For an alert the API has only the name of the pattern. */
export function reasonOf({ subject, reason }: Pick<ReviewItem, 'subject' | 'reason'>): string {
  if (subject === 'alert') return `Pattern across orders: ${wordsOf(reason)}`
  return reason.replace(NAMED_FINDING, '')
}

/** @param people e-mail addresses by id */
export function deciderOf(decidedBy: string, people: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(people, decidedBy)) return people[decidedBy] ?? decidedBy
  return decidedBy === 'cli' ? 'command line' : 'a former member'
}
