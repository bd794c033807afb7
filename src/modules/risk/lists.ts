/** Lists of an organization, and what the entries that a request matches do to its score. Pure. */
import type { ListKind, ListName } from '../lists/tables.ts'
import type { Change } from './adjust.ts'
import type { AdjustmentStep } from './adjustments.ts'

/** Kinds that many people share. An entry about one person or thing decides over these. */
export const SHARED_KINDS: ReadonlySet<ListKind> = new Set([
  'domain',
  'network',
  'terminal',
  'country',
])

/** Stored with what it was matched by, so that a score can be repeated and explained. */
export type ListMatch = { list: ListName; kind: ListKind; id: string; reason?: string }

/** At the same level, the first of these lists decides. */
const PRECEDENCE: readonly ListName[] = ['block', 'watch', 'allow']

/** An entry about one person or thing decides over entries about what many share. */
export function decisiveMatch(matches: readonly ListMatch[]): ListMatch | undefined {
  const own = matches.filter(({ kind }) => !SHARED_KINDS.has(kind))
  const level = own.length > 0 ? own : matches
  for (const list of PRECEDENCE) {
    const match = level.find((one) => one.list === list)
    if (match) return match
  }
  return undefined
}

/** Blocked is critical, watched is high, which is reviewed, and allowed is low (specification, "Risk scale"). */
const EFFECTS: Readonly<Record<ListName, Pick<Change<string>, 'effect' | 'value'>>> = {
  block: { effect: 'floor', value: 90 },
  watch: { effect: 'floor', value: 50 },
  allow: { effect: 'cap', value: 24 },
}

/**
 * @param signalOf the signal that a blocked or watched identity of a kind strengthens
 * @param signal_min strength of that signal from which the subject is reviewed
 * @returns at most one step: several matches of a request do not add up
 */
export function listSteps<Signal extends string>(
  matches: readonly ListMatch[],
  signalOf: (kind: ListKind) => Signal,
  signal_min = 0,
): AdjustmentStep<Signal>[] {
  const match = decisiveMatch(matches)
  if (match === undefined) return []
  const { list, kind, id, reason = null } = match
  const change = { ...EFFECTS[list], signal: signalOf(kind), signal_min }
  return [{ cause: { by: 'list', id, list, kind, reason }, change }]
}
