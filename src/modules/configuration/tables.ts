/** In the order in which they are applied: an item refers to items of earlier kinds only. */
export const ITEM_KINDS = [
  'members',
  'api_keys',
  'order_rules',
  'list_entries',
  'alert_rules',
  'push_applications',
  'notification_channels',
  'notification_routes',
  'webhook_endpoints',
  'device_policies',
  'device_groups',
  'saved_searches',
  'log_dashboard',
  'case_settings',
  'credit_settings',
  'sign_in_provider',
  'sign_in_policy',
] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

export type ConfigurationTables = {
  configuration_items: {
    org_id: string
    kind: ItemKind
    name: string
    /** JSON of an object. */
    content: string
    source: string | null
    revision: string | null
    /** User id. */
    applied_by: string
    applied_at: Date
  }
}
