/** From the condition of a rule to the filters that logs are read by. */
import type { LogFilters } from '../logs/filters.ts'
import type { Level } from '../logs/level.ts'
import type { Condition } from './schema.ts'

export function filtersOf({ level, ...rest }: Condition): LogFilters {
  if (level === undefined) return rest
  return { ...rest, levels: [...new Set(level.split(',') as Level[])] }
}
