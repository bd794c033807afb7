/**
 * Card transactions as orders of one organization: the customer becomes a profile, the terminal an edge
 * device, and every order is paid by card in a store. Positions of the made-up city and devices are
 * left out.
 */
import type { OrderFacts } from '../../../src/modules/orders/scoring/facts.ts'
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import { orderFacts } from '../facts.ts'
import { createFold } from '../fold.ts'
import { DELAY_DAYS } from './protocol.ts'
import type { CardScorer } from './replay.ts'
import { type CardWorld, DAY_S, FIRST_DAY_MS } from './world.ts'

export function createCardScorer(world: CardWorld, parameters: OrderParameters): CardScorer {
  const fold = createFold(parameters)
  const factsOf = createFacts(world)
  const risk_scores = new Uint8Array(world.count)
  return {
    score: (row) => {
      const facts = factsOf(row)
      const { risk, probability } = fold.score(facts, facts.ordered_at_ms)
      risk_scores[row] = risk.risk_score
      return { probability, risk_score: risk.risk_score, signals: risk.signals }
    },
    decide: (row, isFraud) => {
      const facts = factsOf(row)
      const scored_at_ms = facts.ordered_at_ms
      const decided_at_ms = scored_at_ms + DELAY_DAYS * DAY_S * 1_000
      const order = { facts, risk_score: risk_scores[row] ?? 0, scored_at_ms }
      fold.decide(order, isFraud ? 'confirmed_fraud' : 'legitimate', decided_at_ms)
    },
  }
}

function createFacts(world: CardWorld): (row: number) => OrderFacts {
  const customers = names(0xc, world.customer)
  const terminals = names(0xd, world.terminal)
  return (row) => {
    const second = world.second[row] ?? 0
    return orderFacts({
      profile_id: customers[world.customer[row] ?? 0],
      amount_cents: world.amount_cents[row] ?? 0,
      order_type: 'in_store',
      edge_device_id: terminals[world.terminal[row] ?? 0],
      ordered_at_ms: FIRST_DAY_MS + second * 1_000,
      local_hour: Math.floor((second % DAY_S) / 3_600),
    })
  }
}

/** A UUID for each number in use, created once. */
function names(kind: number, column: Uint16Array): string[] {
  let highest = 0
  for (const value of column) highest = Math.max(highest, value)
  return Array.from(
    { length: highest + 1 },
    (_, index) =>
      `00000000-0000-4000-80${kind.toString(16)}0-${index.toString(16).padStart(12, '0')}`,
  )
}
