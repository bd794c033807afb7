/** The results of the shop as text, and its misses. */

import { CLEAN_KINDS, SCENARIOS } from '../../../world/events.ts'
import type { Detection, ScoredShopOrder, ShopEvaluation } from './evaluate.ts'
import { episodesOf, FALSE_ALARM_RATE } from './evaluate.ts'

export const printShop = ({ seeds, mean }: ShopEvaluation): string =>
  [
    `SHOP ORDERS with place, device, time and payment; no decisions; mean of ${seeds.length} seeds`,
    `  ${Math.round(mean.clean_orders)} honest orders judged; ${percent(FALSE_ALARM_RATE)} of them reach a probability of ${mean.threshold.toFixed(3)}`,
    '  scenario            at that threshold: episodes  orders  until found    at score 50: episodes  orders',
    ...SCENARIOS.map((scenario) => {
      const { at_rate, at_50 } = mean.scenarios[scenario]
      return `  ${scenario.padEnd(34)} ${detection(at_rate)}  ${at_rate.orders_until_found.toFixed(1).padStart(11)}   ${detection(at_50).padStart(29)}`
    }),
    `  honest orders at 50 and above: ${percent(mean.clean_at_50)}, at 70 and above: ${percent(mean.clean_at_70)}`,
    ...CLEAN_KINDS.map(
      (kind) => `    ${kind.padEnd(16)} ${percent(mean.clean_at_50_by_kind[kind])}`,
    ),
    '  Of 100 orders of a level, frauds (orders of the level):',
    ...Object.entries(mean.calibration).map(
      ([level, { honest, frauds }]) =>
        `    ${level.padEnd(16)} ${((100 * frauds) / (honest + frauds)).toFixed(1).padStart(5)}  (${Math.round(honest + frauds)})`,
    ),
    `  ${mean.cost_us.toFixed(1)} microseconds per order`,
    'By seed, share of episodes at the threshold',
    ...seeds.map(
      ({ seed, scenarios }) =>
        `  seed ${seed}: ${SCENARIOS.map((name) => `${name} ${scenarios[name].at_rate.episodes.toFixed(2)}`).join(', ')}`,
    ),
  ].join('\n')

const detection = ({ episodes, orders }: Detection): string =>
  `${episodes.toFixed(3).padStart(19)} ${orders.toFixed(3).padStart(7)}`

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

/** Episodes of which no order was found, with their strongest signals, and the worst false alarms. */
export function printMisses(judged: readonly ScoredShopOrder[], threshold: number): string {
  const lines: string[] = []
  for (const scenario of SCENARIOS) {
    const missed = episodesOf(judged, scenario).filter((orders) =>
      orders.every(({ probability }) => probability < threshold),
    )
    lines.push(`Missed ${scenario}: ${missed.length} episodes`)
    for (const orders of missed.slice(0, MOST_SHOWN)) {
      const best = orders.toSorted((a, b) => b.probability - a.probability)[0]
      if (best) lines.push(`  ${orders.length} orders; the highest: ${described(best)}`)
    }
  }
  const alarms = judged
    .filter(({ truth, probability }) => !truth.is_fraud && probability >= threshold)
    .toSorted((a, b) => b.probability - a.probability)
  lines.push(`False alarms: ${alarms.length}`)
  lines.push(...alarms.slice(0, 4 * MOST_SHOWN).map((order) => `  ${described(order)}`))
  return lines.join('\n')
}

const MOST_SHOWN = 8

function described({ truth, probability, risk, measurements, facts }: ScoredShopOrder): string {
  const signals = Object.entries(measurements)
    .filter(([, { score }]) => score > 0)
    .map(
      ([name, { score, finding, numbers }]) =>
        `${name} ${score} ${finding} ${JSON.stringify(numbers)}`,
    )
  const who = truth.is_fraud ? truth.variant : truth.kind
  const order = `${facts.amount_cents} cents, ${facts.payment_method}, hour ${facts.local_hour}`
  return `${who} (${order}) probability ${probability.toFixed(3)} score ${risk.risk_score}: ${signals.join('; ')}`
}
