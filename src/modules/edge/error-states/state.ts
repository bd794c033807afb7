/** Decides the state of an error group. Pure. */
import type { ErrorState, SetState } from './schema.ts'

export type StoredState = {
  state: SetState
  ignored_until: Date | null
  changed_at: Date
}

/**
 * A resolved group with a later error has regressed, and a group that is no longer ignored is new.
 *
 * @param lastErrorMs the time of the last error by the clock of its device, if one is known
 */
export function stateOf(
  stored: StoredState | undefined,
  lastErrorMs: number | undefined,
  now: Date,
): ErrorState {
  if (stored === undefined) return 'new'
  const { state, ignored_until, changed_at } = stored
  if (state === 'ignored' && ignored_until !== null && ignored_until <= now) return 'new'
  const isLater = lastErrorMs !== undefined && lastErrorMs > changed_at.getTime()
  return state === 'resolved' && isLater ? 'regressed' : state
}
