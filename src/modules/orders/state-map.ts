/** Maps stored states, keyed by id, to the roles under which they are scored, and back. */
import type { ChangedState, States } from '../../platform/states/index.ts'
import { recordOf } from '../risk/index.ts'
import type { OrderKeys } from './keys.ts'
import type { OrderStates } from './scoring/states.ts'

const ROLES = ['organization', 'profile', 'terminal', 'store', 'device', 'ip'] as const

export function statesAt(keys: OrderKeys, states: States): OrderStates {
  const at = (id: string | undefined): unknown => (id === undefined ? undefined : states.get(id))
  return recordOf(ROLES, (role) => at(keys[role])) as OrderStates
}

/** Returns the states that differ from the ones before, to be written. */
export function changedStates(
  keys: OrderKeys,
  before: OrderStates,
  next: OrderStates,
  updated_at: Date,
): ChangedState[] {
  const changed: ChangedState[] = []
  for (const kind of ROLES) {
    const [id, value] = [keys[kind], next[kind]]
    if (id === undefined || value === undefined || value === before[kind]) continue
    changed.push({ id, kind, value, updated_at })
  }
  return changed
}
