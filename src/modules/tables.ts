/** The tables of all modules, joined into the type of the database handle. */
import type { AccountTables } from './accounts/tables.ts'
import type { ApplicationTables } from './applications/tables.ts'
import type { AuditTables } from './audit/tables.ts'
import type { BillingTables } from './billing/tables.ts'
import type { CashierTables } from './cashier/tables.ts'
import type { CellTables } from './cells/tables.ts'
import type { CheckTables } from './checks/tables.ts'
import type { ConfigurationTables } from './configuration/tables.ts'
import type { EdgeTables } from './edge/tables.ts'
import type { EventTables } from './events/tables.ts'
import type { IntakeTables } from './intake/tables.ts'
import type { KeyTables } from './keys/tables.ts'
import type { ListTables } from './lists/tables.ts'
import type { MdmTables } from './mdm/tables.ts'
import type { NotificationTables } from './notifications/tables.ts'
import type { OrderTables } from './orders/tables.ts'
import type { PhoneTables } from './phone/tables.ts'
import type { PortalTables } from './portals/tables.ts'
import type { ProfileTables } from './profiles/tables.ts'
import type { PushTables } from './push/tables.ts'
import type { ReputationTables } from './reputation/tables.ts'
import type { RequestTables } from './requests/tables.ts'
import type { ReviewTables } from './reviews/tables.ts'
import type { RumTables } from './rum/tables.ts'
import type { VolumeTables } from './volume/tables.ts'
import type { WebhookTables } from './webhooks/tables.ts'

declare module '../platform/postgres/tables.ts' {
  interface Tables
    extends AccountTables,
      ApplicationTables,
      AuditTables,
      BillingTables,
      CashierTables,
      CellTables,
      CheckTables,
      ConfigurationTables,
      EdgeTables,
      EventTables,
      IntakeTables,
      KeyTables,
      ListTables,
      MdmTables,
      NotificationTables,
      OrderTables,
      PhoneTables,
      PortalTables,
      ProfileTables,
      PushTables,
      ReputationTables,
      RequestTables,
      ReviewTables,
      RumTables,
      VolumeTables,
      WebhookTables {}
}
