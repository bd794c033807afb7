/** Row types, one per table, named and spelled as in the migrations. */
import type { AccountTables } from './tables/accounts.ts'
import type { BillingTables } from './tables/billing.ts'
import type { CheckTables } from './tables/checks.ts'
import type { EdgeTables } from './tables/edge.ts'
import type { MdmTables } from './tables/mdm.ts'
import type { OrderTables } from './tables/orders.ts'
import type { PlatformTables } from './tables/platform.ts'
import type { PushTables } from './tables/push.ts'
import type { ReviewTables } from './tables/reviews.ts'
import type { RulesTables } from './tables/rules.ts'
import type { VolumeTables } from './tables/volume.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export type Tables = PlatformTables &
  AccountTables &
  BillingTables &
  CheckTables &
  EdgeTables &
  MdmTables &
  OrderTables &
  PushTables &
  ReviewTables &
  RulesTables &
  VolumeTables &
  WebhookTables
