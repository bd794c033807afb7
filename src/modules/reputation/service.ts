/**
 * Reputation of identities across organizations: their keys and the combined opinions about them.
 */
import { type Batcher, createBatcher } from '../../platform/batch.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Reader } from '../../platform/states/index.ts'
import { judge, type Opinion, type Reputation, type SharingRule } from './judge.ts'
import { type OpinionQuery, readOpinions } from './store.ts'

export type Identity = {
  org_id: string
  mode: Mode
  kind: 'phone' | 'device' | 'ip' | 'profile'
  /**
   * Phone number in E.164, `fingerprint_hash`, `ip_hash`, or `external_id` of a profile as
   * submitted.
   */
  value: string
}

export type ReputationStore = {
  /** Returns the key of the identity, a keyed hash that reveals nothing without the secret. */
  key(identity: Identity): string
  /** Combines opinions under the settings of the operator. */
  judge(opinions: readonly Opinion[], now: Date): Reputation
  /** Reads opinions for a step of the lane. */
  reader: Reader<OpinionQuery, Opinion[]>
  /** Returns the combined opinions; concurrent calls share one statement. */
  standing(query: OpinionQuery, now: Date): Promise<Reputation>
}

const QUERIES_MAX = 256

export type ReputationDependencies = {
  directory: Database
  /** The data of organizations; the same as the directory with one PostgreSQL. */
  db: Database
  hash: KeyedHash
  sharing: SharingRule
}

export function createReputation(deps: ReputationDependencies): ReputationStore {
  const isSame = deps.directory === deps.db
  const opinions: Batcher<OpinionQuery, Opinion[]> = createBatcher({
    run: (queries) => readOpinions(deps.directory, queries),
    items_max: QUERIES_MAX,
    batches_in_flight_max: 2,
  })
  return {
    key: ({ org_id, mode, kind, value }) => {
      if (kind !== 'profile') return deps.hash('reputation', mode, kind, value)
      const email = emailOf(value)
      // User ids are unique per organization only.
      return email === undefined
        ? deps.hash('reputation', mode, kind, org_id, value)
        : deps.hash('reputation', mode, kind, email)
    },
    judge: (found, now) => judge(found, now, deps.sharing),
    reader: {
      name: 'opinions',
      // In the transaction of the step if possible, which saves a connection.
      read: (tx, queries) => readOpinions(isSame ? tx : deps.directory, queries),
    },
    standing: async (query, now) => judge(await opinions.submit(query), now, deps.sharing),
  }
}

/**
 * E-mail addresses as user ids identify the same person in every organization.
 * @returns undefined for any other id
 */
export function emailOf(externalId: string): string | undefined {
  return /^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/.test(externalId) ? externalId.toLowerCase() : undefined
}
