/** Constants and options shared by the supervisor and the process of the embedded engine. */
import type { Limits } from './chdb-config.ts'

export type ChildOptions = Limits & {
  /** Directory of the engine's files. */
  directory: string
  state_file: string
  config_file: string
  backup_folder: string
}

/** Exit statuses of a process that could not start or could not continue. */
export const EXIT = { no_package: 12, not_opened: 13, broken: 14 } as const

export const USERNAME = 'vigil'
export const QUERY_CONNECTIONS = 4
export const INSERT_CONNECTIONS = 2
/** One thread per connection, including the one for maintenance, plus three for Node.js itself. */
export const THREAD_POOL_SIZE = QUERY_CONNECTIONS + INSERT_CONNECTIONS + 1 + 3
