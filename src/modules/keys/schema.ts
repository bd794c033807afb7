/** What is told of API keys. */
import type { KeyType } from '../../platform/postgres/tables/accounts.ts'

export type KeyRecord = {
  key_id: string
  type: KeyType
  key_hint: string
  created_at: Date
  revoked_at: Date | null
  replaced_by: string | null
  /** E-mail; null for keys of the command line, and when the user is gone. */
  created_by: string | null
}

/** The only time that the text of a key is seen. */
export type CreatedKey = { key_id: string; key: string }
