/** The state that the parts of the FCM emulator share. */
import type { RequestRecord } from '../control-routes.ts'
import type { GoogleOauth } from '../google-oauth.ts'
import type { Traffic } from '../http2-streams.ts'
import type { Denial, FaultSource } from '../push-faults.ts'
import type { Inbox, Ledger } from '../push-ledger.ts'
import type { RingBuffer } from '../ring-buffer.ts'
import type { FcmFaults } from './control-schema.ts'
import type { FcmErrorCode } from './errors.ts'

export type Phone = {
  readonly id: string
  readonly project_id: string
  readonly package_name: string
  token: string
  is_registered: boolean
  denial: Denial<FcmErrorCode> | null
  readonly inbox: Inbox
}

export type Quota = {
  messages_per_minute: number | null
  streams_max: number
  /** Project → its current minute. */
  readonly used: Map<string, { began_ms: number; count: number }>
}

export type Core = {
  readonly now: () => Date
  /** `https://127.0.0.1:5500`, without a slash at the end. */
  readonly url: () => string
  readonly oauth: GoogleOauth
  readonly phones: Map<string, Phone>
  readonly by_token: Map<string, Phone>
  readonly ledger: Ledger
  readonly faults: FaultSource<FcmFaults, FcmErrorCode>
  readonly quota: Quota
  readonly requests: RingBuffer<RequestRecord>
  readonly traffic: () => Traffic
  readonly allowStreams: (max: number) => void
}
