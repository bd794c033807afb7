/** Reads messages of the provider, none of whose members can be relied on. */
import type { WireOperation } from './port.ts'

/** The members of a JSON object; any other value has none. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** Time of creation in milliseconds; an operation without a valid one is older than any other. */
export function createdAt({ metadata }: Pick<WireOperation, 'metadata'>): number {
  const text: unknown = metadata?.createTime
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}
