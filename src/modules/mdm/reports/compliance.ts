/** The compliance summary: one row per device, whether it complies, and with what it does not. */
import type { CsvColumn } from '../../../platform/http/csv.ts'
import type { NonComplianceDetail } from '../../../platform/postgres/tables/mdm.ts'
import type { ReportedDevice } from './store.ts'

export const COMPLIANCE_COLUMNS: readonly CsvColumn<ReportedDevice>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'name', cell: ({ name }) => name },
  { name: 'serial_number', cell: ({ serial_number }) => serial_number },
  { name: 'state', cell: ({ state }) => state },
  { name: 'management_mode', cell: ({ management_mode }) => management_mode },
  { name: 'group_name', cell: ({ group_name }) => group_name },
  { name: 'policy_id', cell: ({ policy_id }) => policy_id },
  { name: 'policy_name', cell: ({ policy_name }) => policy_name },
  { name: 'compliance_state', cell: ({ compliance_state }) => compliance_state },
  { name: 'violations', cell: ({ non_compliance_details }) => non_compliance_details.length },
  { name: 'settings_violated', cell: (device) => settingsOf(device.non_compliance_details) },
  { name: 'violated_since', cell: (device) => sinceOf(device.non_compliance_details) },
  { name: 'grace_period_expires_at', cell: (device) => device.grace_period_expires_at },
  { name: 'last_report_at', cell: ({ last_report_at }) => last_report_at },
]

/** Each once, in the order of the alphabet: `applications (com.example.till); passwordPolicies`. */
export function settingsOf(details: readonly NonComplianceDetail[]): string {
  const names = details.map(({ setting_name, package_name }) =>
    package_name === null ? setting_name : `${setting_name} (${package_name})`,
  )
  return [...new Set(names)].toSorted().join('; ')
}

/** Times of this form are sorted as texts. */
const sinceOf = (details: readonly NonComplianceDetail[]): string | null =>
  details.map(({ first_seen_at }) => first_seen_at).toSorted()[0] ?? null
