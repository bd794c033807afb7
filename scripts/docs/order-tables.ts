/**
 * The tables of docs/orders.md. Each row is a case that the rules score, so that the table shows their
 * current findings and strengths.
 */
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import type { ScoredOrder } from '../../src/modules/orders/scoring/scoring.ts'
import {
  FLAG_OF,
  ORDER_SIGNALS,
  type OrderSignal,
} from '../../src/modules/orders/scoring/signals.ts'
import {
  CUSTOMER_ORDERS,
  deviceCases,
  guest,
  type OrderCase,
  type OrderChanges,
  patternCases,
  placeCases,
  scoreAfterFrauds,
  scoreLast,
  within,
} from './order-cases.ts'
import { code, renderTable } from './table.ts'

/** Tables by the name of their markers. */
export const orderTables = (): Record<string, string> => ({
  'order signals': signals(),
  'order velocity': velocity(),
  'order amounts': amounts(),
  'order places': findings(placeCases()),
  'order hours': hours(),
  'order devices': findings(deviceCases()),
  'order patterns': findings(patternCases()),
  'order outcomes': outcomes(),
})

function signals(): string {
  const { weights, flag_scores } = DEFAULT_ORDER_PARAMETERS
  const rows = ORDER_SIGNALS.map((signal) => [
    code(signal),
    String(weights[signal]),
    code(FLAG_OF[signal]),
    String(flag_scores[signal]),
  ])
  return renderTable(['Signal', 'Weight', 'Flag', 'Raised from'], rows)
}

function found(scored: ScoredOrder, signal: OrderSignal, when: string): string[] {
  const { finding, score } = scored.measurements[signal]
  if (finding === null) throw new Error(`The rules have no finding of ${signal} when ${when}`)
  return [code(finding), String(score), String(scored.risk.risk_score), when]
}

const FOUND = ['Finding', 'Strength', 'Score of the order', 'When']

/** @throws Error for a case without a finding, because the table would be wrong */
const findings = (cases: readonly OrderCase[]): string =>
  renderTable(
    FOUND,
    cases.map(({ when, signal, orders }) => found(scoreLast(orders), signal, when)),
  )

const COUNTS = [3, 5, 10, 20, 40]

function velocity(): string {
  const rows: (readonly [who: string, minutes: number, changes: () => OrderChanges])[] = [
    ['of a profile, within 5 minutes', 5, () => ({})],
    ['of a profile, within an hour', 60, () => ({})],
    ['of a profile, within a day', 24 * 60, () => ({})],
    ['of guests from one device, within 5 minutes', 5, () => guest({ fingerprint_hash: 'guest' })],
    ['of guests from one address, within 5 minutes', 5, () => guest({ ip_hash: 'guest' })],
    [
      'of guests at one terminal, 1.00 each, within 5 minutes',
      5,
      () => guest({ edge_device_id: 'terminal', amount_cents: 100 }),
    ],
    [
      'of guests at one terminal, with usual amounts, within 5 minutes',
      5,
      () => guest({ edge_device_id: 'terminal' }),
    ],
  ]
  return renderTable(
    ['Orders', ...COUNTS.map((count) => `the ${ordinal(count)}`)],
    rows.map(([who, minutes, changes]) => [
      who,
      ...COUNTS.map((count) =>
        String(scoreLast(within(minutes, count, changes)).measurements.velocity.score),
      ),
    ]),
  )
}

const ordinal = (count: number): string => (count === 3 ? '3rd' : `${count}th`)

const TIMES = [0.1, 1, 2, 3, 5, 10]
const USUAL_CENTS = 5000

function amounts(): string {
  const rows: (readonly [who: string, changes: OrderChanges])[] = [
    ['a customer with 20 orders', {}],
    ['a new customer', { profile_id: 'new', fingerprint_hash: 'new' }],
    ['a guest at a terminal with 200 orders', guest({ edge_device_id: 'terminal' })],
  ]
  return renderTable(
    ['Order by', ...TIMES.map((times) => `${times} × the usual amount`)],
    rows.map(([who, changes]) => [
      who,
      ...TIMES.map((times) => {
        const order = { ...changes, amount_cents: times * USUAL_CENTS }
        return String(scoreLast([order]).measurements.amount_anomaly.score)
      }),
    ]),
  )
}

/** Numbers of orders around noon before the customer orders at three in the morning. */
const NOONS = [20, 50, 100, 200]

function hours(): string {
  const strengths = NOONS.map((noons) => {
    const more = noons - CUSTOMER_ORDERS
    const daily = within(more * 24 * 60, more, () => ({}))
    const night = { minutes: more * 24 * 60, local_hour: 3 }
    return String(scoreLast([...daily, night]).measurements.time_anomaly.score)
  })
  return renderTable(['Previous orders', ...NOONS.map(String)], [['Strength', ...strengths]])
}

function outcomes(): string {
  const till = (number: number): OrderChanges =>
    guest({ edge_device_id: 'terminal', minutes: number, amount_cents: 5000 })
  const device = (number: number): OrderChanges =>
    guest({ fingerprint_hash: 'used for fraud', minutes: number })
  const own = (number: number): OrderChanges => ({ minutes: number, fingerprint_hash: undefined })
  const cases: (readonly [
    when: string,
    signal: OrderSignal,
    changes: (number: number) => OrderChanges,
    count: number,
  ])[] = [
    ['one order of the profile was fraud', 'pattern', own, 1],
    ['two orders of the profile were fraud', 'pattern', own, 2],
    ['two orders at the terminal were fraud', 'pattern', till, 2],
    ['five orders at the terminal were fraud', 'pattern', till, 5],
    ['one order from the device was fraud', 'device_anomaly', device, 1],
  ]
  const rows = cases.map(([when, signal, changes, count]) => {
    const frauds = Array.from({ length: count }, (_, number) => changes(number))
    const { minutes: _minutes, ...order } = changes(0)
    return found(scoreAfterFrauds(frauds, order), signal, when)
  })
  return renderTable(FOUND, rows)
}
