import type { Mode } from '../../platform/owner.ts'

export type EventTables = {
  events: {
    id: string
    org_id: string
    mode: Mode
    type: string
    body: string
    occurred_at: Date
  }
}
