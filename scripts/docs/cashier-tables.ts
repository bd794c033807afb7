/**
 * The tables of docs/cashier.md. Nothing is copied: each row is a case that is put to the rules, and
 * shows the finding and the strength that they answer.
 */
import {
  type ActionFacts,
  CASHIER_PARAMETERS,
  CASHIER_SIGNALS,
  type CashierSignal,
  type MatchedOrder,
} from '../../src/modules/cashier/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, NOW, type Shop, shopAfter } from './cashier-shop.ts'
import { renderTable } from './table.ts'

/** By the name of their markers. */
export function cashierTables(): Record<string, string> {
  return {
    'cashier signals': signals(),
    'cashier rates': rates(),
    'cashier single actions': singleActions(),
    'cashier round refunds': roundRefunds(),
  }
}

const code = (text: string): string => `\`${text}\``

/** `velocity_anomaly` supports the others and has no flag; the others have their own name but two. */
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

/** Voids of one cashier at a multiple of what the peers do, for so many working days. */
function rates(): string {
  const open = shopAfter(PAST_DAYS, DAYS_MAX)
  const rows = TIMES.map((times) => [
    times === 1 ? 'as many' : `${times} times as many`,
    ...voidStrengths(open(), times),
  ])
  return renderTable(['Voids per sale', ...DAYS.map(dayText)], rows)
}

const dayText = (days: number): string => (days === 1 ? 'within a day' : `within ${days} days`)

/** The strongest that any void said until then. */
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

type Act = Partial<ActionFacts> & { minutes?: number }
type ActionCase = readonly [when: string, signal: CashierSignal, actions: readonly Act[]]

const FOUND = ['Finding', 'Signal', 'Strength', 'When']

/** @throws Error for a case in which the rules find nothing: the table would promise too much */
function found(shop: Shop, [when, signal, actions]: ActionCase): string[] {
  const last = actions.map((action) => shop.act(action)).at(-1)
  const { finding = null, score = 0 } = last?.measurements[signal] ?? {}
  if (finding === null) throw new Error(`The rules find nothing of ${signal} where ${when}`)
  return [code(finding), code(signal), String(score), when]
}

function singleActions(): string {
  const open = shopAfter(PAST_DAYS)
  const start: Act = { action_type: 'shift_start', minutes: -10 * 60 }
  const end = (minutes: number): Act => ({ action_type: 'shift_end', minutes })
  const burst = (count: number): Act[] =>
    Array.from({ length: count }, (_, number) => ({ minutes: number }))
  const cases: ActionCase[] = [
    ['a void a quarter of an hour after the shift ended', 'off_shift', [start, end(-15), {}]],
    ['two hours after', 'off_shift', [start, end(-120), {}]],
    [
      '4 voids, refunds, overrides or drawer openings within 5 minutes',
      'velocity_anomaly',
      burst(4),
    ],
    ['6 of them', 'velocity_anomaly', burst(6)],
    [
      'the void of a cash sale within 2 minutes',
      'velocity_anomaly',
      [{ order: sold({ is_cash: true, ordered_at_ms: NOW - MINUTE_MS }) }],
    ],
    [
      'the drawer opened within a minute of a void',
      'drawer_anomaly',
      [{}, { action_type: 'no_sale', minutes: 0.5 }],
    ],
    [
      'more refunded of an order than one and a half times what was paid',
      'excessive_refunds',
      [{ action_type: 'refund', amount_cents: 6100, order: sold({}) }],
    ],
  ]
  return renderTable(
    FOUND,
    cases.map((one) => found(open(), one)),
  )
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
  const open = shopAfter(PAST_DAYS)
  const of = (when: string, order: ActionFacts['order'], amount_cents = 5000): ActionCase => [
    when,
    'round_number_refund',
    [{ action_type: 'refund', amount_cents, order }],
  ]
  const cases = [
    of('50.00, of an order that nobody sent', null),
    of('50.00, of an order of 40.00', sold({})),
    of(
      '50.00, of an order of 60.00 of which 40.00 were refunded',
      sold({ amount_cents: 6000, refunded_cents: 4000 }),
    ),
    of(
      '50.00, of an order of 60.00 from 120 days ago',
      sold({ amount_cents: 6000, ordered_at_ms: NOW - 120 * DAY_MS }),
    ),
    of('50.00, no order named', undefined),
    of(
      '50.00, of an order of 60.00 that another cashier rang up',
      sold({ amount_cents: 6000, cashier: 'other' }),
    ),
    of('55.00, of an order that nobody sent', null, 5500),
  ]
  return renderTable(
    FOUND,
    cases.map((one) => found(open(), one)),
  )
}
