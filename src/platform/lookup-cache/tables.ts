import type { LookupFailure } from '../lookup.ts'

export type LookupTables = {
  lookup_cache: {
    kind: string
    key: string
    /** The last value; null if there never was one. */
    value: unknown
    /** Time at which the value was fetched. */
    fetched_at: Date
    /** Reason why the last attempt failed; null if it returned the value. */
    failure: LookupFailure | null
    /** The provider is not queried again before this time. */
    expires_at: Date
  }
}
