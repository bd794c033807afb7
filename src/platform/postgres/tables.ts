/** Row types, one per table, named and spelled as in the migrations. */
import type { AccountTables } from './tables/accounts.ts'
import type { BillingTables } from './tables/billing.ts'
import type { CheckTables } from './tables/checks.ts'
import type { PlatformTables } from './tables/platform.ts'

export type Tables = PlatformTables & AccountTables & BillingTables & CheckTables
