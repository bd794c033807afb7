/** Columns of the fleet inventory: the record of each device, with the names of its group and policy. */
import type { CsvColumn } from '../../../platform/http/csv.ts'
import type { InventoriedDevice } from './store.ts'

export const INVENTORY_COLUMNS: readonly CsvColumn<InventoriedDevice>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'name', cell: ({ name }) => name },
  { name: 'state', cell: ({ state }) => state },
  { name: 'management_mode', cell: ({ management_mode }) => management_mode },
  { name: 'ownership_type', cell: ({ ownership_type }) => ownership_type },
  { name: 'assigned_user_id', cell: ({ assigned_user_id }) => assigned_user_id },
  { name: 'group_id', cell: ({ group_id }) => group_id },
  { name: 'group_name', cell: ({ group_name }) => group_name },
  { name: 'policy_id', cell: ({ policy_id }) => policy_id },
  { name: 'policy_name', cell: ({ policy_name }) => policy_name },
  { name: 'applied_policy_id', cell: ({ applied_policy_id }) => applied_policy_id },
  { name: 'policy_error', cell: ({ policy_error }) => policy_error },
  { name: 'compliance_state', cell: ({ compliance_state }) => compliance_state },
  { name: 'brand', cell: ({ brand }) => brand },
  { name: 'manufacturer', cell: ({ manufacturer }) => manufacturer },
  { name: 'model', cell: ({ model }) => model },
  { name: 'serial_number', cell: ({ serial_number }) => serial_number },
  { name: 'os_version', cell: ({ os_version }) => os_version },
  { name: 'security_patch_level', cell: ({ security_patch_level }) => security_patch_level },
  { name: 'enrolled_at', cell: ({ enrolled_at }) => enrolled_at },
  { name: 'last_report_at', cell: ({ last_report_at }) => last_report_at },
  { name: 'deletion_requested_at', cell: ({ deletion_requested_at }) => deletion_requested_at },
  { name: 'custom_attributes', cell: ({ custom_attributes }) => JSON.stringify(custom_attributes) },
]
