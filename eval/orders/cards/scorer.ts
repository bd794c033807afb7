/**
 * Card transactions as orders of one organisation: customer to profile, terminal to edge device, paid by
 * card in a store. Positions of the made-up city are not handed over; neither are devices.
 */
import type { OrderFacts } from '../../../src/modules/orders/scoring/facts.ts'
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import { createFold } from '../fold.ts'
import { DELAY_DAYS } from './protocol.ts'
import type { CardScorer } from './replay.ts'
import { type CardWorld, DAY_S, FIRST_DAY_MS } from './world.ts'

const NOTHING_KNOWN = { device: 0, ip: 0, profile: 0 }

export function createCardScorer(world: CardWorld, parameters: OrderParameters): CardScorer {
  const fold = createFold(parameters)
  const factsOf = createFacts(world)
  const risk_scores = new Uint8Array(world.count)
  return {
    score: (row) => {
      const facts = factsOf(row)
      const { risk, probability } = fold.score(facts, facts.ordered_at_ms)
      risk_scores[row] = risk.risk_score
      return { probability, risk_score: risk.risk_score }
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
    return {
      profile_id: customers[world.customer[row] ?? 0],
      amount_cents: world.amount_cents[row] ?? 0,
      currency: 'EUR',
      order_type: 'in_store',
      payment_method: 'card',
      item_count: undefined,
      items: [],
      latitude: undefined,
      longitude: undefined,
      country: undefined,
      location_name: undefined,
      edge_device_id: terminals[world.terminal[row] ?? 0],
      fingerprint_hash: undefined,
      ip_hash: undefined,
      cashier_external_id: undefined,
      ordered_at_ms: FIRST_DAY_MS + second * 1_000,
      local_hour: Math.floor((second % DAY_S) / 3_600),
      reputation: NOTHING_KNOWN,
      check_risk: 0,
    }
  }
}

/** A uuid for each number in use, made once. */
function names(kind: number, column: Uint16Array): string[] {
  let highest = 0
  for (const value of column) highest = Math.max(highest, value)
  return Array.from(
    { length: highest + 1 },
    (_, index) =>
      `00000000-0000-4000-80${kind.toString(16)}0-${index.toString(16).padStart(12, '0')}`,
  )
}
