/** Between states under their ids, as they are stored, and states by their role, as they are scored. */
import type { ChangedState, States } from '../../platform/states/index.ts'
import type { OrderKeys } from './keys.ts'
import type { OrderStates } from './scoring/states.ts'

const ROLES = ['organization', 'profile', 'terminal', 'store', 'device', 'ip'] as const

export function statesAt(keys: OrderKeys, states: States): OrderStates {
  const at = (id: string | undefined): unknown => (id === undefined ? undefined : states.get(id))
  return {
    organization: at(keys.organization),
    profile: at(keys.profile),
    terminal: at(keys.terminal),
    store: at(keys.store),
    device: at(keys.device),
    ip: at(keys.ip),
  } as OrderStates
}

/** Those that are not the ones from before, to be written. */
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
