/**
 * Merges the usage of a transaction into one row for each organization, mode, meter, API key and hour. A row for
 * each check, its two index entries and its posting would take about a tenth of the time of PostgreSQL.
 */
import { HOUR_MS } from '../../platform/time-units.ts'
import type { UsageRow } from './tables.ts'

/** `source_ids` are all priced items; empty for one, which is `source_id`. */
export type MergedUsage = UsageRow & { source_ids: string[] }

/** Costs are rounded to whole units item by item; those of test mode are 0. */
export function mergeUsage(items: readonly UsageRow[]): MergedUsage[] {
  const rows = new Map<string, MergedUsage>()
  for (const item of items) {
    const { org_id, mode, meter, key_id = '', occurred_at, source_id } = item
    const cost_units = mode === 'test' ? 0 : Math.round(item.cost_units)
    // Volumes are shown by the hour.
    const hour = Math.floor(occurred_at.getTime() / HOUR_MS)
    const key = `${org_id} ${mode} ${meter} ${key_id} ${hour}`
    const row = rows.get(key)
    if (row === undefined) {
      rows.set(key, { ...item, cost_units, source_ids: [] })
      continue
    }
    if (row.source_ids.length === 0) row.source_ids.push(row.source_id)
    row.source_ids.push(source_id)
    row.quantity += item.quantity
    row.cost_units += cost_units
  }
  return [...rows.values()]
}
