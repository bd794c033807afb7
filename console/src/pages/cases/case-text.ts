import type { CaseEvent, CaseRecord } from '../../../../src/modules/reviews/cases/schema.ts'
import { decisionName } from '../../components/decisions.tsx'
import { amountText, countText, timeText, wordsOf } from '../../components/format.ts'

export const KIND_NAMES: Readonly<Record<CaseRecord['cause']['kind'], string>> = {
  device: 'Device',
  profile: 'Customer',
  cashier: 'Cashier',
  address: 'IP address',
  terminal: 'Terminal',
  store: 'Store',
  payment: 'Payment method',
  pattern: 'Pattern',
  order: 'Order',
}

export const STATE_NAMES: Readonly<Record<CaseRecord['state'], string>> = {
  open: 'Open',
  in_work: 'In work',
  waiting: 'Waiting',
  closed: 'Closed',
}

const NAME_MAX_CHARS = 28
const HASH = /^[0-9a-f]{32,}$/

/** Hashes and long names are cut in the middle, so that both ends can be compared. */
export function shortName(value: string): string {
  if (value.length <= NAME_MAX_CHARS) return value
  const [first, last] = HASH.test(value) ? [8, 4] : [12, 6]
  return `${value.slice(0, first)}…${value.slice(-last)}`
}

export const titleOf = ({ cause: { kind, value } }: Pick<CaseRecord, 'cause'>): string =>
  `${KIND_NAMES[kind]} ${shortName(kind === 'pattern' ? wordsOf(value) : value)}`

export function riskText({ amount_cents, currency, is_mixed }: CaseRecord): string {
  return `${amountText(amount_cents, currency)}${is_mixed ? ' and other currencies' : ''}`
}

/** Minutes as people say them; null is unknown. */
export function durationText(minutes: number | null): string {
  if (minutes === null) return '–'
  if (minutes < 60) return `${Math.round(minutes)} min`
  return minutes < 48 * 60
    ? `${Math.round(minutes / 6) / 10} h`
    : `${Math.round(minutes / 144) / 10} days`
}

/** @param details as the service stored them with the event */
export function eventText({ kind, details }: Pick<CaseEvent, 'kind' | 'details'>): string {
  const text = (name: string) => {
    const value = details[name]
    return typeof value === 'string' ? value : ''
  }
  switch (kind) {
    case 'claimed':
      return 'assigned the case to themselves'
    case 'assigned':
      return `assigned the case to ${text('to')}`
    case 'released':
      return 'ended the assignment'
    case 'waiting':
      return `waits until ${timeText(new Date(text('until')))}`
    case 'resumed':
      return 'ended the wait'
    case 'escalated':
      return 'escalated the case'
    case 'deescalated':
      return 'ended the escalation'
    case 'decided': {
      const decision = decisionName(details['decision'] as 'legitimate')
      return `marked ${countText(Number(details['items']), 'items')} as ${decision}`
    }
    case 'closed':
      return `closed the case as ${text('outcome')}`
    case 'reopened':
      return 'reopened the case'
    case 'noted':
      return text('text')
    default:
      return wordsOf(kind)
  }
}
