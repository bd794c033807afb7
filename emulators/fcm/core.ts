/** What the parts of the FCM emulator work on. */

import type { GoogleOauth } from '../google-oauth.ts'
import type { Traffic } from '../http2-streams.ts'
import type { FaultSource } from '../push-faults.ts'
import type { Inbox, Ledger } from '../push-ledger.ts'
import type { Ring } from '../ring.ts'
import type { FcmDenial, FcmErrorCode, FcmFaults } from './control-schema.ts'

export type Phone = {
  readonly id: string
  readonly project_id: string
  readonly package_name: string
  token: string
  is_registered: boolean
  denial: FcmDenial | null
  readonly inbox: Inbox
}

export type RequestRecord = {
  readonly at: string
  readonly method: string
  readonly path: string
  /** Null when no answer was sent. */
  readonly status: number | null
}

export type Quota = {
  messages_per_minute: number | null
  streams_max: number
  /** Project → the minute that runs. */
  readonly used: Map<string, { began_ms: number; count: number }>
}

export type Core = {
  readonly now: () => Date
  /** `https://127.0.0.1:5500`, no slash at the end. */
  readonly url: () => string
  readonly oauth: GoogleOauth
  readonly phones: Map<string, Phone>
  readonly by_token: Map<string, Phone>
  readonly ledger: Ledger
  readonly faults: FaultSource<FcmFaults, FcmErrorCode>
  readonly quota: Quota
  readonly requests: Ring<RequestRecord>
  readonly traffic: () => Traffic
  readonly allowStreams: (max: number) => void
}
