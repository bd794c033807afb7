/** A push configuration as the console shows it. */
import type { PushTables } from '../../../platform/postgres/tables/push.ts'

export type Configuration = PushTables['push_configurations']
