import type { Mode } from '../../platform/owner.ts'

export type RumTables = {
  rum_sessions: {
    org_id: string
    mode: Mode
    month: string
    session_hash: Buffer
  }
}
