import type { Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

/** Specification, "Edge device registration". */
export const DEVICE_TYPES = [
  'pos',
  'kiosk',
  'iot',
  'mobile',
  'desktop',
  'server',
  'gateway',
  'other',
] as const
export type DeviceType = (typeof DEVICE_TYPES)[number]

export type EdgeTables = {
  edge_devices: {
    org_id: string
    mode: Mode
    device_id: string
    device_type: DeviceType | null
    name: string | null
    firmware_version: string | null
    location: { name?: string; address?: string } | null
    tags: string[] | null
    created_at: Date
    last_seen_at: Date
  }
  edge_alerts: {
    org_id: string
    id: string
    name: string
    kind: Generated<'count' | 'absence' | 'ratio' | 'new_group'>
    condition: object
    threshold: number
    window_minutes: number
    ratio_percent: number | null
    muted_until: Date | null
    version: Generated<number>
    status: Generated<'ok' | 'firing'>
    last_fired_at: Date | null
    last_resolved_at: Date | null
    evaluated_until: Date
    leased_until: Date | null
    created_at: Date
  }
  edge_alert_firings: {
    org_id: string
    alert_id: string
    fired_at: Date
    resolved_at: Date | null
    rule: object
  }
  edge_searches: {
    org_id: string
    id: string
    name: string
    filters: Record<string, string>
    created_by: string
    created_at: Date
  }
  edge_error_states: {
    org_id: string
    mode: Mode
    fingerprint: string
    state: 'new' | 'acknowledged' | 'resolved' | 'ignored'
    ignored_until: Date | null
    assignee_id: string | null
    changed_by: string
    changed_at: Date
    link: string | null
  }
  edge_error_merges: {
    org_id: string
    mode: Mode
    fingerprint: string
    into_fingerprint: string
    merged_by: string
    merged_at: Date
  }
  edge_panels: {
    org_id: string
    id: string
    name: string
    view: Record<string, string>
    position: number
    created_by: string
    created_at: Date
  }
}
