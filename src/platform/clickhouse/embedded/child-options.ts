/** What the supervisor and the process of the embedded engine agree on. */
import type { Limits } from './chdb-config.ts'

export type ChildOptions = Limits & {
  /** Of the engine's files. */
  directory: string
  state_file: string
  config_file: string
  backup_folder: string
}

/** Statuses with which it ends when it could not begin, or could not go on. */
export const EXIT = { no_package: 12, not_opened: 13, broken: 14 } as const

export const USERNAME = 'vigil'
export const QUERY_CONNECTIONS = 4
export const INSERT_CONNECTIONS = 2
/** Beside queries and inserts: the connection for upkeep, and what Node does in its pool. */
export const THREAD_POOL_SIZE = QUERY_CONNECTIONS + INSERT_CONNECTIONS + 1 + 3
