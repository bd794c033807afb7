/** Response of the search of the console. */
import type { Hit } from '../../platform/postgres/name-search.ts'

export const SEARCHED_KINDS = [
  'orders',
  'profiles',
  'checks',
  'cashiers',
  'cashier_actions',
  'edge_devices',
  'managed_devices',
  'groups_and_policies',
  'endpoints',
  'deliveries',
  'applications',
  'members',
  'keys',
  'logs',
] as const
export type SearchKind = (typeof SEARCHED_KINDS)[number]

export type SearchResult = {
  /** Only kinds with hits, in the sequence of `SEARCHED_KINDS`. */
  groups: { kind: SearchKind; hits: Hit[] }[]
  /** Kinds that were not searched to the end in time. */
  incomplete: SearchKind[]
}
