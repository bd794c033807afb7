/** What the parts of the APNs emulator work on. */
import type { KeyObject } from 'node:crypto'
import type { Traffic } from '../http2-streams.ts'
import type { Connection } from '../http2-wire.ts'
import type { FaultSource } from '../push-faults.ts'
import type { Inbox, Ledger } from '../push-ledger.ts'
import type { Ring } from '../ring.ts'
import type { ApnsDenial, ApnsEnvironment, ApnsFaults, ApnsQuotas } from './control-schema.ts'
import type { ApnsReason } from './reasons.ts'

export type Phone = {
  readonly id: string
  readonly bundle_id: string
  token: string
  gone: Gone | null
  denial: ApnsDenial | null
  readonly inbox: Inbox
  /** The minute that runs. */
  minute: { began_ms: number; count: number }
}
export type Gone = {
  readonly reason: 'Unregistered' | 'ExpiredToken'
  readonly timestamp_ms: number
}

export type Key = {
  readonly key_id: string
  readonly team_id: string
  readonly private_key: string
  readonly public_key: KeyObject
  environments: readonly ApnsEnvironment[]
  readonly topics: readonly string[] | null
  is_revoked: boolean
  /** What makes provider tokens differ → when such a one was first seen. */
  readonly tokens_seen: Map<string, number>
}

export type RequestRecord = {
  readonly at: string
  readonly method: string
  readonly path: string
  /** Null when no answer was sent. */
  readonly status: number | null
  readonly reason: ApnsReason | null
}

export type Core = {
  readonly now: () => Date
  readonly environment: ApnsEnvironment
  readonly keys: Map<string, Key>
  /** Bundle id → team. */
  readonly topics: Map<string, string>
  readonly phones: Map<string, Phone>
  readonly by_token: Map<string, Phone>
  /** Tokens that phones had before. */
  readonly retired: Map<string, Gone>
  /** The key that a connection first showed. */
  readonly keys_of_connections: WeakMap<Connection, string>
  /** Provider tokens whose signature was found good. */
  readonly verified: Map<string, { key: Key; iat_s: number }>
  readonly ledger: Ledger
  readonly faults: FaultSource<ApnsFaults, ApnsReason>
  readonly quotas: Required<ApnsQuotas>
  readonly requests: Ring<RequestRecord>
  readonly traffic: () => Traffic
}
