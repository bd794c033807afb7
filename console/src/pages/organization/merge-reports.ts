/** Adds the report of a continued deletion to that of its beginning. */
import type { PersonReport } from '../../../../src/modules/person-data/schema.ts'

export function merged(before: PersonReport, next: PersonReport): PersonReport {
  const sum = (name: 'deleted' | 'cleared' | 'retained') => {
    const counts = { ...before[name] }
    for (const [table, rows] of Object.entries(next[name])) {
      counts[table] = (counts[table] ?? 0) + rows
    }
    return counts
  }
  return { ...next, deleted: sum('deleted'), cleared: sum('cleared'), retained: sum('retained') }
}
