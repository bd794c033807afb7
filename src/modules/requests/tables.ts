import type { Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

export type RequestTables = {
  request_log: {
    slot: number
    org_id: string
    id: string
    at: Date
    mode: Mode | null
    method: string
    route: string
    path: string
    status: number
    duration_ms: number
    key_id: string | null
    user_id: string | null
    left_out: Generated<number>
  }
}
