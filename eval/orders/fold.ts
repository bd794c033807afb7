/** Folds orders and decisions over states in memory, by the keys that the service uses. */
import { type Decision, learnDecision } from '../../src/modules/orders/scoring/decision.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import type { OrderParameters } from '../../src/modules/orders/scoring/parameters.ts'
import { type ScoredOrder, scoreOrder } from '../../src/modules/orders/scoring/scoring.ts'
import type { OrderStates } from '../../src/modules/orders/scoring/states.ts'

export type Fold = {
  score: (facts: OrderFacts, now_ms: number) => ScoredOrder
  /** The first decision about an order that was scored before. */
  decide: (order: DecidedOrder, decision: Decision, now_ms: number) => void
}

export type DecidedOrder = { facts: OrderFacts; risk_score: number; scored_at_ms: number }

type States<K extends keyof OrderStates> = Map<string, NonNullable<OrderStates[K]>>

export function createFold(parameters: OrderParameters): Fold {
  const profiles: States<'profile'> = new Map()
  const terminals: States<'terminal'> = new Map()
  const stores: States<'store'> = new Map()
  const devices: States<'device'> = new Map()
  const ips: States<'ip'> = new Map()
  let organization: OrderStates['organization']

  const read = (facts: OrderFacts): OrderStates => ({
    organization,
    profile: find(profiles, facts.profile_id),
    terminal: find(terminals, facts.edge_device_id),
    store: find(stores, storeKey(facts)),
    device: find(devices, facts.fingerprint_hash),
    ip: find(ips, facts.ip_hash),
  })
  const writeAll = (facts: OrderFacts, before: OrderStates, next: OrderStates): void => {
    organization = next.organization
    write(profiles, facts.profile_id, before.profile, next.profile)
    write(terminals, facts.edge_device_id, before.terminal, next.terminal)
    write(stores, storeKey(facts), before.store, next.store)
    write(devices, facts.fingerprint_hash, before.device, next.device)
    write(ips, facts.ip_hash, before.ip, next.ip)
  }
  return {
    score: (facts, now_ms) => {
      const states = read(facts)
      const scored = scoreOrder(facts, states, now_ms, parameters)
      writeAll(facts, states, scored.next)
      return scored
    },
    decide: (order, decision, now_ms) => {
      const states = read(order.facts)
      const next = learnDecision(order, { decision, now_ms }, states, parameters)
      writeAll(order.facts, states, next)
    },
  }
}

/** Orders with neither a profile nor a terminal are judged by their store. */
function storeKey(facts: OrderFacts): string | undefined {
  const isNamed = facts.profile_id !== undefined || facts.edge_device_id !== undefined
  return isNamed ? undefined : facts.location_name
}

const find = <T>(states: Map<string, T>, key: string | undefined): T | undefined =>
  key === undefined ? undefined : states.get(key)

function write<T>(
  states: Map<string, T>,
  key: string | undefined,
  before: T | undefined,
  next: T | undefined,
): void {
  if (key !== undefined && next !== undefined && next !== before) states.set(key, next)
}
