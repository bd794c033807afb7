/** Columns of the compliance summary, which has one row per device. */
import type { CsvColumn } from '../../../platform/http/csv.ts'
import type { SummarizedDevice } from './store.ts'

export const COMPLIANCE_COLUMNS: readonly CsvColumn<SummarizedDevice>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'name', cell: ({ name }) => name },
  { name: 'serial_number', cell: ({ serial_number }) => serial_number },
  { name: 'state', cell: ({ state }) => state },
  { name: 'management_mode', cell: ({ management_mode }) => management_mode },
  { name: 'group_name', cell: ({ group_name }) => group_name },
  { name: 'policy_id', cell: ({ policy_id }) => policy_id },
  { name: 'policy_name', cell: ({ policy_name }) => policy_name },
  { name: 'compliance_state', cell: ({ compliance_state }) => compliance_state },
  { name: 'violations', cell: ({ violations }) => violations },
  { name: 'settings_violated', cell: ({ settings_violated }) => settings_violated },
  { name: 'violated_since', cell: ({ violated_since }) => violated_since },
  { name: 'grace_period_expires_at', cell: (device) => device.grace_period_expires_at },
  { name: 'last_report_at', cell: ({ last_report_at }) => last_report_at },
]
