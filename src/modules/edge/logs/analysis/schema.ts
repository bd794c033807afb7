/** Types of the counts by field and of the members of data, for the console. */

/** Statistics of a number in `data` over the logs of a value; null if none of them has it. */
export type NumberStatistics = {
  /** Number of logs that have the number. */
  count: number
  average: number | null
  p50: number | null
  p95: number | null
  max: number | null
}

/** The most frequent values of a field. An empty value stands for logs without one. */
export type FieldValues = {
  field: string
  /** Number of different values; `values` can have fewer. */
  distinct: number
  /** Sum of the counts of all values. A log with several tags counts for each of them. */
  total: number
  values: { value: string; count: number; number: NumberStatistics | null }[]
}

export const MEASURES = ['count', 'average', 'p50', 'p95', 'max'] as const
export type Measure = (typeof MEASURES)[number]

/**
 * A measure over time, for the most frequent values of a field. `value` is null in the series of all
 * other values. A point without a number is null, and 0 if the measure is `count`.
 */
export type FieldSeries = {
  from: string
  until: string
  step_ms: number
  /** Number of logs. */
  total: number
  series: { value: string | null; points: (number | null)[] }[]
}

export type DataMember = {
  /** As in a query, such as `data.order.id`. */
  name: string
  type: 'text' | 'number' | 'boolean' | 'other'
  /** Number of examined logs that have it. */
  count: number
}

/** Members of the data of the newest matching logs, the most frequent first. */
export type DataMembers = { examined: number; members: DataMember[] }
