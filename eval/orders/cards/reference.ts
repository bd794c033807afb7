/**
 * The simplest scorer that is worth a comparison, on the same rows: the distance of an amount from
 * those of the customer, and the decayed fraud rate of the terminal, combined as independent. It is
 * untrained and stores a few numbers per key. On the file that the book offers it reaches .866 / .587 /
 * .285 with decisions and .647 / .272 / .095 without (mean of the five weeks), so it also shows whether
 * this simulation is as hard as that one.
 */
import { DELAY_DAYS } from './protocol.ts'
import type { CardScorer } from './replay.ts'
import { type CardWorld, DAY_S } from './world.ts'

const HALF_LIFE_S = 3 * DAY_S
/** Every terminal starts with this number of decisions at the usual rate. */
const PRIOR_DECISIONS = 2
const USUAL_RATE = 0.0084
/** Every customer starts with this number of orders of the usual variation. */
const PRIOR_ORDERS = 4
const USUAL_VARIATION = 0.6

export function createReferenceScorer(world: CardWorld): CardScorer {
  const amountRisk = createAmountRisk()
  const terminals = new Map<number, { at_s: number; frauds: number; decisions: number }>()
  const terminalAt = (terminal: number, at_s: number) => {
    const known = terminals.get(terminal) ?? { at_s, frauds: 0, decisions: 0 }
    const left = 2 ** ((known.at_s - at_s) / HALF_LIFE_S)
    return { at_s, frauds: known.frauds * left, decisions: known.decisions * left }
  }
  return {
    score: (row) => {
      const customer = world.customer[row] ?? 0
      const byAmount = amountRisk(customer, world.amount_cents[row] ?? 0)
      const terminal = terminalAt(world.terminal[row] ?? 0, world.second[row] ?? 0)
      const byTerminal =
        (terminal.frauds + PRIOR_DECISIONS * USUAL_RATE) / (terminal.decisions + PRIOR_DECISIONS)
      const probability = 1 - (1 - byAmount) * (1 - byTerminal)
      return { probability, risk_score: Math.round(probability * 100) }
    },
    decide: (row, isFraud) => {
      const terminal = world.terminal[row] ?? 0
      const decided_s = (world.second[row] ?? 0) + DELAY_DAYS * DAY_S
      const { frauds, decisions } = terminalAt(terminal, decided_s)
      terminals.set(terminal, {
        at_s: decided_s,
        frauds: frauds + (isFraud ? 1 : 0),
        decisions: decisions + 1,
      })
    },
  }
}

/** Running mean and variance per customer; amounts beyond three deviations count as three deviations. */
function createAmountRisk(): (customer: number, cents: number) => number {
  const customers = new Map<number, { count: number; mean: number; squares: number }>()
  let [overall, count_all] = [5_000, 0]
  return (customer, cents) => {
    const { count, mean, squares } = customers.get(customer) ?? { count: 0, mean: 0, squares: 0 }
    const expected = (count * mean + 0.5 * overall) / (count + 0.5)
    const prior = PRIOR_ORDERS * (USUAL_VARIATION * expected) ** 2
    const deviation = Math.sqrt((squares + prior) / (count + PRIOR_ORDERS))
    const z = (cents - expected) / deviation
    const clipped = Math.min(cents, expected + 3 * deviation)
    const shifted = mean + (clipped - mean) / (count + 1)
    customers.set(customer, {
      count: count + 1,
      mean: shifted,
      squares: squares + (clipped - mean) * (clipped - shifted),
    })
    count_all += 1
    overall += (Math.min(cents, 20_000) - overall) / count_all
    return 1 / (1 + Math.exp(-2.2 * (z - 3.8)))
  }
}
