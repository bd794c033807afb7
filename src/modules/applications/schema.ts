/** Application as returned by the console API. */
import type { ApplicationTables } from './tables.ts'

export type Application = Omit<ApplicationTables['applications'], 'deleted_at'>
