/** The tables that are divided by the time in their ids (docs/decisions/0048 and 0053). */
import type { Config } from '../config.ts'
import { type DividedTable, widthFor } from '../platform/postgres/partitions/index.ts'

export const dividedTables = (config: Config): DividedTable[] => [
  { table: 'audit_log', width: widthFor(config.audit_retention_days) },
  { table: 'mdm_audit_log', width: widthFor(config.audit_retention_days) },
  { table: 'events', width: widthFor(config.event_retention_days) },
  { table: 'webhook_deliveries', width: widthFor(config.delivery_retention_days) },
  { table: 'usage_events', width: widthFor(config.usage_retention_days) },
  { table: 'checks', width: widthFor(config.check_retention_days) },
  {
    table: 'push_recipients',
    key: 'message_id',
    width: widthFor(config.push_retention_days),
  },
]
