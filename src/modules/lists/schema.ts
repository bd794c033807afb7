/** Lists in the console API. */
import type { ListKind, ListName } from './tables.ts'

export type { ListKind, ListName }

export type ListedEntry = {
  id: string
  list: ListName
  kind: ListKind
  /** Masked for e-mails, phones, devices, IP addresses and cards. */
  value: string
  reason: string | null
  /** User id or `cli`. */
  created_by: string
  created_by_email: string | null
  created_at: string
  /** The entry has no effect from then on; null without an end. */
  expires_at: string | null
}

export type ListPage = { entries: ListedEntry[]; total: number; next_cursor: string | null }

export type ListImport = {
  stored: number
  /** Number of lines that were refused, of which the first hundred are named. */
  refused: number
  faults: { line: number; field: string; message: string }[]
}
