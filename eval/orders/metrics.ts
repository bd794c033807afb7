/**
 * Measures of a ranking against labels. Equal scores form one group everywhere, so that no result
 * depends on the order of orders with equal scores.
 */
import { hash } from '../../src/platform/random.ts'

export type Judged = { score: number; is_fraud: boolean }

/**
 * Area under the ROC curve: the probability that a fraud is ranked above an honest order, where equal
 * scores count half (Mann-Whitney). NaN when one of the two kinds is missing.
 */
export function aucRoc(judged: readonly Judged[]): number {
  let [frauds, honest, wins] = [0, 0, 0]
  for (const group of groupsFromTop(judged)) {
    wins += group.honest * (frauds + group.frauds / 2)
    frauds += group.frauds
    honest += group.honest
  }
  return wins / (frauds * honest)
}

/**
 * Average precision: the sum over the distinct scores of recall gained times precision, without
 * interpolation, as scikit-learn computes it. NaN without frauds.
 */
export function averagePrecision(judged: readonly Judged[]): number {
  let [frauds, seen, sum] = [0, 0, 0]
  for (const group of groupsFromTop(judged)) {
    frauds += group.frauds
    seen += group.frauds + group.honest
    sum += group.frauds * (frauds / seen)
  }
  return sum / frauds
}

export type AtThreshold = {
  /** NaN when no order reaches the threshold. */
  precision: number
  recall: number
  /** Share of all orders that reach the threshold. */
  alert_rate: number
}

export function atThreshold(judged: readonly Judged[], threshold: number): AtThreshold {
  const alerts = judged.filter(({ score }) => score >= threshold)
  const hits = alerts.filter(({ is_fraud }) => is_fraud).length
  const frauds = judged.filter(({ is_fraud }) => is_fraud).length
  return {
    precision: hits / alerts.length,
    recall: hits / frauds,
    alert_rate: alerts.length / judged.length,
  }
}

/**
 * The lowest score that at most this share of the scores reaches: a threshold with a known rate of
 * false alarms. Infinity when even the highest score is shared by too many.
 */
export function thresholdForRate(scores: readonly number[], share: number): number {
  const sorted = Float64Array.from(scores).sort().toReversed()
  const allowed = Math.floor(scores.length * share)
  let [threshold, index] = [Infinity, 0]
  while (index < sorted.length) {
    const score = sorted[index]
    while (index < sorted.length && sorted[index] === score) index += 1
    if (index > allowed || score === undefined) break
    threshold = score
  }
  return threshold
}

export type CardDay = { card: number; day: number; score: number; is_fraud: boolean }

/**
 * Card precision at k (Fraud Detection Handbook, chapter 4): the share of the k highest cards of a day
 * that have a fraud on that day, as the mean over the days. A card counts with its highest score of the
 * day, and cards that were found on an earlier day are left out. The order of equal scores is drawn
 * from card and day, which favors neither side.
 */
export function cardPrecision(orders: readonly CardDay[], k: number): number {
  const days = [...new Set(orders.map(({ day }) => day))].toSorted((a, b) => a - b)
  const found = new Set<number>()
  let sum = 0
  for (const today of days) {
    const cards = highestByCard(orders.filter(({ card, day }) => day === today && !found.has(card)))
    const hits = cards
      .toSorted((a, b) => b.score - a.score || lot(a) - lot(b))
      .slice(0, k)
      .filter(({ is_fraud }) => is_fraud)
    for (const { card } of hits) found.add(card)
    sum += hits.length / k
  }
  return sum / days.length
}

function highestByCard(orders: readonly CardDay[]): CardDay[] {
  const cards = new Map<number, CardDay>()
  for (const order of orders) {
    const card = cards.get(order.card)
    cards.set(order.card, {
      ...order,
      score: Math.max(order.score, card?.score ?? -Infinity),
      is_fraud: order.is_fraud || card?.is_fraud === true,
    })
  }
  return [...cards.values()]
}

const lot = ({ card, day }: CardDay): number => hash(`${day}:${card}`)

type Group = { frauds: number; honest: number }

function groupsFromTop(judged: readonly Judged[]): Group[] {
  const groups: Group[] = []
  let last: number | undefined
  for (const { score, is_fraud } of judged.toSorted((a, b) => b.score - a.score)) {
    if (score !== last) groups.push({ frauds: 0, honest: 0 })
    last = score
    const group = groups.at(-1)
    if (group === undefined) continue
    if (is_fraud) group.frauds += 1
    else group.honest += 1
  }
  return groups
}

/** The mean of all numbers that are not NaN; NaN when there are none. */
export function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.reduce((sum, value) => sum + value, 0) / known.length
}

type Numbers = number | { readonly [name: string]: Numbers }

/** The mean of each number of results that have the same shape, over weeks or seeds. */
export function meanOf<Result extends Numbers>(results: readonly Result[]): Result {
  const [first = NaN] = results
  if (typeof first === 'number') return mean(results as readonly number[]) as Result
  const objects = results as readonly Record<string, Numbers>[]
  const means = Object.keys(first).map((name) => [
    name,
    meanOf(objects.map((object) => object[name] ?? NaN)),
  ])
  return Object.fromEntries(means) as Result
}
