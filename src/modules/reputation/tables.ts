import type { Generated } from 'kysely'

export type ReputationTables = {
  reputation: {
    key_hash: string
    org_id: string
    bad: number
    good: number
    /** Null in rows of earlier versions, of which all of `bad` counts for others. */
    shared_bad: number | null
    updated_at: Date
  }
  reputation_voices: {
    org_id: string
    voice_id: string
    is_trusted: boolean | null
    since: Date
    live_requests: Generated<number>
    test_requests: Generated<number>
    counted_until: Date
  }
}
