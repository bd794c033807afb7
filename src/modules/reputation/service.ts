/**
 * Reputation of identities across organisations: under which key one is known, and what all
 * organisations together make of it.
 */
import { type Batcher, createBatcher } from '../../platform/batch.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { judge, type Opinion, type Reputation } from './judge.ts'
import { type OpinionQuery, readOpinions } from './store.ts'

export type Identity = {
  org_id: string
  mode: Mode
  kind: 'phone' | 'device' | 'ip' | 'profile'
  /** E.164, `fingerprint_hash`, `ip_hash`, or `external_id` of a profile as the organisation sends it. */
  value: string
}

export type ReputationStore = {
  /** Under which the identity is kept; nothing can be learnt from it without the secret. */
  key(identity: Identity): string
  /** Those who ask at the same moment share one statement. */
  standing(query: OpinionQuery, now: Date): Promise<Reputation>
}

const QUERIES_MAX = 256

export function createReputation(deps: { db: Database; hash: KeyedHash }): ReputationStore {
  const opinions: Batcher<OpinionQuery, Opinion[]> = createBatcher({
    run: (queries) => readOpinions(deps.db, queries),
    items_max: QUERIES_MAX,
    batches_in_flight_max: 2,
  })
  return {
    key: ({ org_id, mode, kind, value }) => {
      if (kind !== 'profile') return deps.hash('reputation', mode, kind, value)
      const email = emailOf(value)
      // A number that an organisation gave to its own user is somebody else's elsewhere.
      return email === undefined
        ? deps.hash('reputation', mode, kind, org_id, value)
        : deps.hash('reputation', mode, kind, email)
    },
    standing: async (query, now) => judge(await opinions.submit(query), now),
  }
}

/** Users named by their address are the same ones everywhere. */
function emailOf(externalId: string): string | undefined {
  return /^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/.test(externalId) ? externalId.toLowerCase() : undefined
}
