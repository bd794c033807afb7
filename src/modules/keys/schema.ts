/** Responses of the console about API keys. */
import type { KeyType } from './tables.ts'

export type KeyRecord = {
  key_id: string
  type: KeyType
  key_hint: string
  created_at: Date
  revoked_at: Date | null
  replaced_by: string | null
  /** E-mail; null for keys created on the command line, and when the user was deleted. */
  created_by: string | null
}

/** The key itself is only returned at its creation. */
export type CreatedKey = { key_id: string; key: string }
