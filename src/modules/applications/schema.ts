/** An application as the console shows it. */
import type { PushTables } from '../../platform/postgres/tables/push.ts'

export type Application = Omit<PushTables['applications'], 'deleted_at'>
