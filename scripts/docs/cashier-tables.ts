/**
 * The tables of docs/cashier.md. Each row is a case that the rules score, so that the table shows their
 * current findings and strengths.
 */
import {
  type ActionFacts,
  CASHIER_PARAMETERS,
  CASHIER_SIGNALS,
  type CashierSignal,
  type MatchedOrder,
} from '../../src/modules/cashier/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { NOW, type Shop, shopAfter } from './cashier-shop.ts'
import { code, renderTable } from './table.ts'

/** Tables by the name of their markers. */
export const cashierTables = (): Record<string, string> => ({
  'cashier signals': signals(),
  'cashier rates': rates(),
  'cashier single actions': singleActions(),
  'cashier round refunds': roundRefunds(),
})

/** Signals whose flag has another name. `velocity_anomaly` supports other signals and has no flag. */
const FLAGS: Readonly<Partial<Record<CashierSignal, string>>> = {
  off_shift: 'off_shift_activity',
  velocity_anomaly: '',
}

function signals(): string {
  const { weights, flag_from } = CASHIER_PARAMETERS
  const rows = CASHIER_SIGNALS.map((signal) => {
    const flag = FLAGS[signal] ?? signal
    return [
      code(signal),
      String(weights[signal]),
      flag === '' ? '–' : code(flag),
      flag === '' ? '' : String(flag_from),
    ]
  })
  return renderTable(['Signal', 'Weight', 'Flag', 'Raised from'], rows)
}

const PAST_DAYS = 30
const TIMES = [1, 2, 4, 8]
const DAYS = [1, 7, 28]
const DAYS_MAX = 28

/** Strength for a cashier who voids more often than the peers, by the number of working days. */
function rates(): string {
  const open = shopAfter(PAST_DAYS, DAYS_MAX)
  const rows = TIMES.map((times) => [
    times === 1 ? 'as often as peers' : `${times} times as often as peers`,
    ...voidStrengths(open(), times),
  ])
  return renderTable(['Voids per sale', ...DAYS.map(dayText)], rows)
}

const dayText = (days: number): string => (days === 1 ? 'after 1 day' : `after ${days} days`)

/** Greatest strength of any void up to each of `DAYS`. */
function voidStrengths(shop: Shop, times: number): string[] {
  const until: string[] = []
  let strongest = 0
  for (let day = 1; day <= DAYS_MAX; day += 1) {
    for (const { fraud } of shop.work(day - DAYS_MAX - 1, times)) {
      strongest = Math.max(strongest, fraud.signals.excessive_voids)
    }
    if (DAYS.includes(day)) until.push(String(strongest))
  }
  return until
}

type ActionChanges = Partial<ActionFacts> & { minutes?: number }
type ActionCase = readonly [when: string, signal: CashierSignal, actions: readonly ActionChanges[]]

/** @throws Error for a case without a finding, because the table would be wrong */
function found(shop: Shop, [when, signal, actions]: ActionCase): string[] {
  const last = actions.map((action) => shop.act(action)).at(-1)
  const { finding = null, score = 0 } = last?.measurements[signal] ?? {}
  if (finding === null) throw new Error(`The rules have no finding of ${signal} when ${when}`)
  return [code(finding), code(signal), String(score), when]
}

function findings(cases: readonly ActionCase[]): string {
  const open = shopAfter(PAST_DAYS)
  const rows = cases.map((one) => found(open(), one))
  return renderTable(['Finding', 'Signal', 'Strength', 'When'], rows)
}

function singleActions(): string {
  const start: ActionChanges = { action_type: 'shift_start', minutes: -10 * 60 }
  const end = (minutes: number): ActionChanges => ({ action_type: 'shift_end', minutes })
  const burst = (count: number): ActionChanges[] =>
    Array.from({ length: count }, (_, number) => ({ minutes: number }))
  return findings([
    ['a void 15 minutes after the end of the shift', 'off_shift', [start, end(-15), {}]],
    ['a void two hours after the end of the shift', 'off_shift', [start, end(-120), {}]],
    [
      '4 voids, refunds, overrides or drawer openings within 5 minutes',
      'velocity_anomaly',
      burst(4),
    ],
    ['6 such actions within 5 minutes', 'velocity_anomaly', burst(6)],
    [
      'a cash sale is voided within 2 minutes',
      'velocity_anomaly',
      [{ order: sold({ is_cash: true, ordered_at_ms: NOW - MINUTE_MS }) }],
    ],
    [
      'the drawer is opened within a minute of a void',
      'drawer_anomaly',
      [{}, { action_type: 'no_sale', minutes: 0.5 }],
    ],
    [
      'the refunds of an order exceed 1.5 times the amount paid',
      'excessive_refunds',
      [{ action_type: 'refund', amount_cents: 6100, order: sold({}) }],
    ],
  ])
}

const sold = (more: Partial<MatchedOrder>): MatchedOrder => ({
  cashier: 'same',
  amount_cents: 4000,
  currency: 'EUR',
  refunded_cents: 0,
  is_cash: false,
  ordered_at_ms: NOW - HOUR_MS,
  ...more,
})

function roundRefunds(): string {
  const of = (when: string, order: ActionFacts['order'], amount_cents = 5000): ActionCase => [
    when,
    'round_number_refund',
    [{ action_type: 'refund', amount_cents, order }],
  ]
  return findings([
    of('50.00 for an order that Vigil has not received', null),
    of('50.00 for an order of 40.00', sold({})),
    of(
      '50.00 for an order of 60.00, of which 40.00 is already refunded',
      sold({ amount_cents: 6000, refunded_cents: 4000 }),
    ),
    of(
      '50.00 for an order of 60.00 from 120 days ago',
      sold({ amount_cents: 6000, ordered_at_ms: NOW - 120 * DAY_MS }),
    ),
    of('50.00 without a reference to an order', undefined),
    of(
      '50.00 for an order of 60.00 that another cashier rang up',
      sold({ amount_cents: 6000, cashier: 'other' }),
    ),
    of('55.00 for an order that Vigil has not received', null, 5500),
  ])
}
