import type { Mode } from '../../platform/owner.ts'

export type IntakeTables = {
  intake_receipts: {
    org_id: string
    mode: Mode
    body_hash: Buffer
    received: number
    processed: number
    message: string
    received_at: Date
  }
}
