/** Words of the review queue. */
import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'

export const SUBJECT_WORDS = {
  order: 'Order',
  alert: 'Alert',
  cashier_action: 'Cashier action',
} as const

export const DECISION_WORDS = { confirmed_fraud: 'fraud', legitimate: 'legitimate' } as const

/** `shared_device` as "shared device". */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ')

/** `impossible_travel: 8917 km …`: the name of the finding before the words. */
const NAMED_FINDING = /^[a-z_]+: (?=.)/

/** Why it is in the queue; the reason of an alert is the name of its pattern. */
export function reasonOf({ subject, reason }: Pick<ReviewItem, 'subject' | 'reason'>): string {
  if (subject === 'alert') return `Pattern over several orders: ${wordsOf(reason)}`
  return reason.replace(NAMED_FINDING, '')
}

/** @param people e-mail addresses by id */
export function deciderOf(decidedBy: string, people: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(people, decidedBy)) return people[decidedBy] ?? decidedBy
  return decidedBy === 'cli' ? 'the operator, at the command line' : 'a former member'
}
