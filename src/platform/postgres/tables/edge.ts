import type { Generated } from 'kysely'
import type { Mode } from './platform.ts'

/** Tables of ClickHouse that are fed through the spool. */
export type SpoolTarget = 'edge_logs' | 'rum_events'

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
  analytics_spool: {
    org_id: string
    id: string
    mode: Mode
    target: SpoolTarget
    entries: number
    payload: Buffer
    bytes: number
    created_at: Generated<Date>
    flush_id: string | null
    lease_id: string | null
    leased_until: Date | null
    attempts: Generated<number>
    refusal: string | null
    flushed_at: Date | null
  }
  intake_receipts: {
    org_id: string
    mode: Mode
    body_hash: Buffer
    received: number
    processed: number
    message: string
    received_at: Date
  }
  usage_months: {
    org_id: string
    mode: Mode
    meter: string
    /** First day of the month. */
    month: string
    quantity: number
    cost_units: number
  }
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
    condition: object
    threshold: number
    window_minutes: number
    status: Generated<'ok' | 'firing'>
    last_fired_at: Date | null
    last_resolved_at: Date | null
    evaluated_until: Date
    leased_until: Date | null
    created_at: Date
  }
  edge_searches: {
    org_id: string
    id: string
    name: string
    filters: Record<string, string>
    created_by: string
    created_at: Date
  }
  rum_sessions: {
    org_id: string
    mode: Mode
    month: string
    session_hash: Buffer
  }
}
