/** Requests and responses of the console about API keys. */
import { type Static, Type } from 'typebox'
import { choice, nullable } from '../../platform/http/schemas.ts'
import { SCOPES, type Scope } from './scopes.ts'
import { KEY_TYPES, type KeyType } from './tables.ts'

const NAME_MAX_CHARS = 100
const NOTE_MAX_CHARS = 1000
const NETWORKS_MAX = 20
const NETWORK_MAX_CHARS = 50

/** An old key works after it was rolled: not at all, an hour, a day, or a week. */
const OVERLAP_HOURS = [0, 1, 24, 168] as const

export type { Scope }

const text = (maxLength: number) => Type.String({ maxLength })

const details = {
  name: Type.Optional(text(NAME_MAX_CHARS)),
  note: Type.Optional(text(NOTE_MAX_CHARS)),
  scopes: Type.Optional(
    nullable(Type.Array(choice(SCOPES), { minItems: 1, maxItems: SCOPES.length })),
  ),
  networks: Type.Optional(
    nullable(Type.Array(text(NETWORK_MAX_CHARS), { minItems: 1, maxItems: NETWORKS_MAX })),
  ),
  expires_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
}

export const keyRequests = {
  create: Type.Object({ type: choice(KEY_TYPES), ...details }),
  change: Type.Object(details),
  roll: Type.Object({
    key_id: Type.String(),
    overlap_hours: Type.Optional(
      Type.Unsafe<(typeof OVERLAP_HOURS)[number]>({ type: 'integer', enum: [...OVERLAP_HOURS] }),
    ),
  }),
  revoke: Type.Object({ key_id: Type.String() }),
}

/** Members that are absent are not changed; null removes a limit. */
export type KeyDetails = {
  name?: string | undefined
  note?: string | undefined
  scopes?: Scope[] | null | undefined
  networks?: string[] | null | undefined
  expires_at?: Date | null | undefined
}
export type SentDetails = Static<typeof keyRequests.change>

export type KeyRecord = {
  key_id: string
  type: KeyType
  key_hint: string
  name: string
  note: string
  /** Null: everything that the kind of the key may do. */
  scopes: Scope[] | null
  /** Null: every network. */
  networks: string[] | null
  created_at: Date
  /** Its end; with `replaced_by`, the end of the overlap. */
  expires_at: Date | null
  revoked_at: Date | null
  replaced_by: string | null
  /** E-mail; null for keys created on the command line, and when the user was deleted. */
  created_by: string | null
  /** To the minute; null until the first use. */
  last_used_at: Date | null
  last_used_address: string | null
  /** Method and route: `POST /v1/check`. */
  last_used_operation: string | null
}

/** The key itself is only returned at its creation. */
export type CreatedKey = { key_id: string; key: string }
