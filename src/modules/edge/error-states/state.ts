/** Decides the state of an error group. Pure. */
import type { ErrorState, SetState, StateFilters } from './schema.ts'

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

/** For `assignee_id`: groups without an assignee. */
export const NO_ONE = 'none'

type Decided = { fingerprint: string; state: ErrorState; assignee_id: string | null }

/**
 * The groups that a list shows: some, or all but some, because most groups were never changed.
 *
 * @returns undefined for all groups
 */
export function selectionOf(
  decided: readonly Decided[],
  { state, assignee_id }: StateFilters,
): { groups: string[]; is_excluded: boolean } | undefined {
  if (state === undefined && assignee_id === undefined) return undefined
  const isShown = (group: Omit<Decided, 'fingerprint'>) =>
    (state === undefined || group.state === state) &&
    (assignee_id === undefined || (group.assignee_id ?? NO_ONE) === assignee_id)
  const is_excluded = isShown({ state: 'new', assignee_id: null })
  const groups = decided.filter((group) => isShown(group) !== is_excluded)
  return { groups: groups.map(({ fingerprint }) => fingerprint), is_excluded }
}
