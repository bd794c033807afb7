/** The state that the parts of the APNs emulator share. */
import type { KeyObject } from 'node:crypto'
import type { RequestRecord } from '../control-routes.ts'
import type { Traffic } from '../http2-streams.ts'
import type { Connection } from '../http2-wire.ts'
import type { Denial, FaultSource } from '../push-faults.ts'
import type { Inbox, Ledger } from '../push-ledger.ts'
import type { RingBuffer } from '../ring-buffer.ts'
import type { ApnsEnvironment, ApnsFaults, ApnsKey, ApnsQuotas } from './control-schema.ts'
import type { ApnsReason } from './reasons.ts'

export type Phone = {
  readonly id: string
  readonly bundle_id: string
  token: string
  gone: Gone | null
  denial: Denial<ApnsReason> | null
  readonly inbox: Inbox
  /** The current minute of the quota. */
  minute: { began_ms: number; count: number }
}
export type Gone = {
  readonly reason: 'Unregistered' | 'ExpiredToken'
  readonly timestamp_ms: number
}

export type Key = ApnsKey & {
  readonly public_key: KeyObject
  /** Identity of a provider token → when it was first seen. */
  readonly tokens_seen: Map<string, number>
}

export type ApnsRequestRecord = RequestRecord & { readonly reason: ApnsReason | null }

export type Core = {
  readonly now: () => Date
  readonly environment: ApnsEnvironment
  readonly keys: Map<string, Key>
  /** Bundle id → team. */
  readonly topics: Map<string, string>
  readonly phones: Map<string, Phone>
  readonly by_token: Map<string, Phone>
  /** Former tokens of phones. */
  readonly retired: Map<string, Gone>
  /** Connection → id of the first key that it showed. */
  readonly keys_of_connections: WeakMap<Connection, string>
  /** Provider tokens with a valid signature. */
  readonly verified: Map<string, { key: Key; iat_s: number }>
  readonly ledger: Ledger
  readonly faults: FaultSource<ApnsFaults, ApnsReason>
  readonly quotas: Required<ApnsQuotas>
  readonly requests: RingBuffer<ApnsRequestRecord>
  readonly traffic: () => Traffic
}
