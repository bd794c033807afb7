/** Counts what a rule compares: matching logs or new error groups, and for a ratio all logs of the same place. */
import type { CountPerMinute } from './minute-counts.store.ts'
import type { Condition } from './schema.ts'
import type { AlertKind, MinuteCounts } from './state.ts'

type Counted = { counts: MinuteCounts; totals?: MinuteCounts }
type CountedRule = { org_id: string; kind: AlertKind; condition: Condition }

export async function countRule(
  countPerMinute: CountPerMinute,
  rule: CountedRule,
  time: { from: Date; until: Date },
  timeoutMs: number,
): Promise<Counted> {
  const counts = await countPerMinute(rule, time, timeoutMs)
  if (rule.kind !== 'ratio') return { counts }
  const all = { ...rule, condition: placeOf(rule.condition) }
  return { counts, totals: await countPerMinute(all, time, timeoutMs) }
}

/** A share is that of the logs of the same category, environment and device. */
const placeOf = ({ category, environment, device_id }: Condition): Condition => ({
  ...(category !== undefined && { category }),
  ...(environment !== undefined && { environment }),
  ...(device_id !== undefined && { device_id }),
})
