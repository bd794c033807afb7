/** The reasons for the score of a cashier action, one sentence for each finding. */
import { adjustmentReason } from './adjustment-reasons.ts'
import { type Numbers, nameOf, numberOf, textOf } from './reason.ts'
import {
  capitalized,
  countText,
  minutesText,
  moneyText,
  numberText,
  shareText,
  usualText,
} from './texts.ts'

/**
 * @param currency of the action, for findings that do not state one; undefined while unknown
 * @returns one sentence without a full stop
 */
export function cashierReason(
  finding: string,
  numbers: Numbers,
  currency: string | undefined,
): string {
  const [, kind, comparison] = /^(.*)_(rate|change|rise)$/.exec(finding) ?? []
  const what = kind === undefined ? undefined : KINDS.get(kind)
  if (what !== undefined) {
    if (comparison === 'rise') return riseSentence(what, numbers)
    return comparison === 'rate' ? rateSentence(what, numbers) : changeSentence(what, numbers)
  }
  return (
    SENTENCES.get(finding)?.(numbers, currency) ??
    adjustmentReason(finding, numbers) ??
    nameOf(finding)
  )
}

/** Lists the findings that have a sentence. */
export const cashierFindings = (): string[] => [
  ...SENTENCES.keys(),
  ...[...KINDS.keys()].flatMap((kind) => [`${kind}_rate`, `${kind}_change`, `${kind}_rise`]),
]

const KINDS = new Map([
  ['void', 'voids'],
  ['refund', 'refunds'],
  ['override', 'discount and price overrides'],
  ['drawer', 'drawer openings without a sale'],
  ['discounted_sale', 'sales with a discount at the discretion of the cashier'],
  ['void_after_cash', 'voids right after a cash sale'],
  ['drawer_after_void', 'drawer openings right after a void'],
  ['pickup', 'cash pickups'],
  ['unmatched_round', 'round refunds that no order explains'],
])

function rateSentence(what: string, numbers: Numbers): string {
  const share = shareText(numberOf(numbers, 'share') ?? 0)
  const transactions = countText(numberOf(numbers, 'transactions') ?? 0, 'transaction')
  return `${capitalized(what)}: ${share} of about ${transactions} ${windowText(numbers)}, where ${peersText(numbers)}`
}

function changeSentence(what: string, numbers: Numbers): string {
  const share = shareText(numberOf(numbers, 'share') ?? 0)
  const before = shareText(numberOf(numbers, 'share_before') ?? 0)
  return `${capitalized(what)}: ${share} of the transactions of the last days, ${before} before; ${peersText(numbers)}`
}

function riseSentence(what: string, numbers: Numbers): string {
  const count = countText(numberOf(numbers, 'count') ?? 0, 'time')
  const days = countText(Math.round(numberOf(numbers, 'days') ?? 0), 'day')
  const expected = numberText(numberOf(numbers, 'expected') ?? 0)
  return `${capitalized(what)}: ${count} in ${days}, where ${expected} were expected from the earlier rate of the cashier and the change of the peers`
}

type Sentence = (numbers: Numbers, currency: string | undefined) => string

const MISMATCHES = [
  ['no_order', 'no order was named'],
  ['unknown_order', 'the named order is unknown'],
  ['more_than_order', 'the refunds exceed the amount of the order'],
  ['order_of_another', 'another cashier rang up the order'],
  ['old_order', 'the order is too old for a return'],
] as const

const SENTENCES = new Map<string, Sentence>([
  [
    'burst_of_actions',
    (n) =>
      `${countText(numberOf(n, 'count') ?? 0, 'sensitive action')} within ${minutesText(numberOf(n, 'window_minutes') ?? 0)}`,
  ],
  ['void_after_cash', (n) => `A void ${secondsText(n)} after a cash sale`],
  ['drawer_after_void', (n) => `The drawer was opened ${secondsText(n)} after a void`],
  [
    'own_pickup',
    (n) =>
      `A cashier who rings up sales took out cash: ${shareText(numberOf(n, 'share') ?? 0)} of the transactions, where ${peersText(n)}`,
  ],
  ...MISMATCHES.map(([mismatch, why]): [string, Sentence] => [
    `round_refund_${mismatch}`,
    (n, currency) => {
      const isRound = (numberOf(n, 'amount_cents') ?? 0) % 100 === 0
      const what = isRound ? 'a round amount' : 'just above a round amount'
      const share = shareText(numberOf(n, 'round_share_of_sales') ?? 0)
      return `A refund of ${amountText(n, 'amount_cents', currency)}, ${what}: ${why}. ${share} of sales have an equally round amount`
    },
  ]),
  [
    'refund_of_unknown_order',
    (n, currency) =>
      `${amountText(n, 'amount_cents', currency)} were refunded for an order that was never sent`,
  ],
  [
    'openings_without_sales',
    (n) =>
      `The drawer was opened about ${countText(numberOf(n, 'openings') ?? 0, 'time')} within a shift, with ${salesText(numberOf(n, 'sales') ?? 0)}`,
  ],
  [
    'refunded_more_than_paid',
    (n, currency) =>
      `${amountText(n, 'refunded_cents', currency)} were refunded for an order of ${amountText(n, 'order_amount_cents', currency)}`,
  ],
  [
    'override_size',
    (n) =>
      `Overrides give away ${numberText(numberOf(n, 'ratio') ?? 0)} times as much per sale as those of the peers`,
  ],
  [
    'one_customer',
    (n) =>
      `${numberText(Math.round(numberOf(n, 'discounted_sales_to_customer') ?? 0))} of about ${countText(numberOf(n, 'discounted_sales') ?? 0, 'discounted sale')} went to one customer`,
  ],
  ['off_shift', (n) => sinceShiftText(n)],
  [
    'forgotten_shift_start',
    (n) =>
      `${sinceShiftText(n)}, but with ${countText(numberOf(n, 'sales_since_shift') ?? 0, 'sale')} since: the start of the next shift was probably not sent`,
  ],
  [
    'shifts_rarely_sent',
    (n) =>
      `${sinceShiftText(n)}, but ${shareText(numberOf(n, 'peers_share') ?? 0)} of the actions of peers are off shift, too: shift events are probably missing there`,
  ],
  [
    'unusual_hour',
    (n) => {
      const hour = String(numberOf(n, 'local_hour') ?? 0).padStart(2, '0')
      const here = numberOf(n, 'events_at_hour') ?? 0
      const events = countText(numberOf(n, 'events') ?? 0, 'event')
      return `At ${hour}:00, an hour with ${here === 0 ? 'none' : numberText(here)} of the ${events} of this cashier`
    },
  ],
])

const HOURS_OF_WINDOW: Readonly<Record<number, string>> = {
  4: 'within a shift',
  168: 'within about a week',
  720: 'within about a month',
}

/** Windows decay, so their length is about that of their half-life. */
function windowText(numbers: Numbers): string {
  const hours = numberOf(numbers, 'half_life_hours') ?? 0
  return HOURS_OF_WINDOW[hours] ?? `within about ${minutesText(60 * hours)}`
}

function peersText(numbers: Numbers): string {
  const usual = `${shareText(numberOf(numbers, 'peers_share') ?? 0)} is usual`
  const peers = numberOf(numbers, 'peers') ?? 0
  return peers === 0 ? `${usual} elsewhere` : `${usual} for ${countText(peers, 'peer')}`
}

const secondsText = (numbers: Numbers): string => {
  const seconds = Math.round(numberOf(numbers, 'seconds') ?? 0)
  return seconds === 0 ? 'less than a second' : countText(seconds, 'second')
}

const sinceShiftText = (numbers: Numbers): string =>
  `${capitalized(minutesText(numberOf(numbers, 'minutes_since_shift') ?? 0))} after the shift`

/** A decayed count: never 0 by rounding. */
const salesText = (sales: number): string => (sales === 0 ? 'no sale' : `${usualText(sales)} sales`)

const amountText = (numbers: Numbers, name: string, currency: string | undefined): string =>
  moneyText(Math.abs(numberOf(numbers, name) ?? 0), textOf(numbers, 'currency') ?? currency)
