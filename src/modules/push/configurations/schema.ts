/** Push configuration as returned by the console API. */
import type { PushTables } from '../tables.ts'

export type Configuration = PushTables['push_configurations']
