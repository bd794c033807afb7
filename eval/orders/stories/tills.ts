/**
 * Terminals with decisions that arrive a week late: one that always has some fraud, and one that turns
 * bad. Compared with the previous memory of terminals, which halved at each fraud.
 */
import {
  EMPTY_LABELS,
  EMPTY_OUTCOMES,
  labelRisk,
  learnLabel,
  learnOutcome,
  learnSeen,
  learnSeenOutcome,
  outcomeRisk,
} from '../../../src/modules/behavior/index.ts'
import type { Outcome } from '../../../src/modules/behavior/labels.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../../src/modules/orders/scoring/parameters.ts'
import type { Random } from '../../../src/platform/random.ts'
import { DAY_MS } from '../../../src/platform/time-units.ts'

const START = Date.UTC(2026, 2, 2)
const DELAY_DAYS = 7
/** Strength of the pattern signal that reaches review alone. */
const REVIEW_RISK = 0.5 / DEFAULT_ORDER_PARAMETERS.weights.pattern

export type Till = { name: string; days: TillDays[] }

export type TillDays = {
  /** Days since the till turned bad, or since its first fraud */
  from: number
  until: number
  /** Shares of the orders that reach review by this risk alone, 0-1 */
  three_horizons: { honest: number; frauds: number }
  previous: { honest: number; frauds: number }
}

type Plan = { name: string; share: (day: number) => number; spans: readonly [number, number][] }

const PLANS: readonly Plan[] = [
  { name: 'always 20 % fraud', share: () => 0.2, spans: [[30, 90]] },
  {
    name: 'turns bad on day 30: all fraud',
    share: (day) => (day >= 30 ? 1 : 0),
    spans: [
      [37, 38],
      [38, 40],
      [40, 44],
      [44, 58],
    ],
  },
  {
    name: 'bad from day 30 to 58, then repaired',
    share: (day) => (day >= 30 && day < 58 ? 1 : 0),
    spans: [
      [58, 65],
      [65, 72],
      [72, 90],
    ],
  },
]

const TILLS = 200

export const playTills = (random: Random): Till[] =>
  PLANS.map(({ name, share, spans }) => {
    const judged = Array.from({ length: TILLS }, (_, i) =>
      playTill(random.fork(`${name} ${i}`), share),
    ).flat()
    return {
      name,
      days: spans.map(([from, until]) => {
        const some = judged.filter(({ day }) => day >= from && day < until)
        const shares = (by: 'three' | 'previous') => ({
          honest: shareOf(some.filter(({ isFraud }) => !isFraud).map((order) => order[by])),
          frauds: shareOf(some.filter(({ isFraud }) => isFraud).map((order) => order[by])),
        })
        return { from, until, three_horizons: shares('three'), previous: shares('previous') }
      }),
    }
  })

const shareOf = (found: readonly boolean[]): number =>
  found.filter((isFound) => isFound).length / found.length

type Judged = { day: number; isFraud: boolean; three: boolean; previous: boolean }

/** Plays 90 days with one to ten orders a day, all of which are decided. */
function playTill(random: Random, share: (day: number) => number): Judged[] {
  const per_day = random.between(1, 10)
  let [outcomes, labels, odds] = [EMPTY_OUTCOMES, EMPTY_LABELS, NO_ODDS]
  const judged: Judged[] = []
  const waiting: { due_ms: number; outcome: Outcome }[] = []
  for (let at = random.exponential(1 / per_day); at < 90; at += random.exponential(1 / per_day)) {
    const at_ms = START + Math.floor(at * DAY_MS)
    while (waiting[0] !== undefined && waiting[0].due_ms <= at_ms) {
      const { due_ms, outcome } = waiting[0]
      outcomes = learnOutcome(outcomes, outcome, due_ms)
      labels = learnLabel(labels, outcome, due_ms)
      odds = learnOdds(odds, outcome, due_ms)
      waiting.shift()
    }
    const isFraud = random.chance(share(at))
    judged.push({
      day: at,
      isFraud,
      three: outcomeRisk(outcomes, 1, at_ms) >= REVIEW_RISK,
      previous: Math.max(labelRisk(labels, 1, at_ms), riskOf(odds, at_ms)) >= REVIEW_RISK,
    })
    outcomes = learnSeenOutcome(outcomes, at_ms)
    labels = learnSeen(labels, at_ms)
    const outcome = isFraud ? 'confirmed_fraud' : 'legitimate'
    waiting.push({ due_ms: at_ms + DELAY_DAYS * DAY_MS, outcome })
  }
  return judged
}

type Odds = { at: number; odds: number }
const NO_ODDS: Odds = { at: 0, odds: 0 }

/**
 * The second half of the previous memory: log-odds of tampering above those of an ordinary terminal,
 * between 0 and 9, that fade with a half-life of four weeks.
 */
function learnOdds({ at, odds }: Odds, outcome: Outcome, at_ms: number): Odds {
  if (odds === 0 && outcome === 'legitimate') return NO_ODDS
  const moved = faded(odds, at_ms - at) + (outcome === 'confirmed_fraud' ? 5 : -2)
  return { at: at_ms, odds: Math.min(9, Math.max(0, moved)) }
}

const faded = (odds: number, elapsed_ms: number): number =>
  odds * 0.5 ** (elapsed_ms / (28 * DAY_MS))

const riskOf = ({ at, odds }: Odds, at_ms: number): number =>
  odds === 0 ? 0 : 0.7 / (1 + Math.exp(6 - faded(odds, at_ms - at)))

export const printTills = (tills: readonly Till[]): string =>
  [
    'TILLS: orders in review by the outcomes alone, which arrive a week late; honest / frauds',
    '                                              days      three horizons           previous',
    ...tills.flatMap(({ name, days }) =>
      days.map(
        ({ from, until, three_horizons, previous }) =>
          `  ${name.padEnd(38)} ${`${from}-${until}`.padStart(9)} ${shown(three_horizons)} ${shown(previous)}`,
      ),
    ),
  ].join('\n')

const shown = ({ honest, frauds }: TillDays['previous']): string =>
  `${percent(honest)} / ${percent(frauds)}`

const percent = (share: number): string =>
  (Number.isNaN(share) ? '-' : `${(100 * share).toFixed(1)} %`).padStart(8)
