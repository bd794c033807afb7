import type { Mode } from '../../platform/owner.ts'
import type { RefusedElement } from './examine.ts'

export type IntakeTables = {
  intake_receipts: {
    org_id: string
    mode: Mode
    body_hash: Buffer
    received: number
    processed: number
    message: string
    errors: readonly RefusedElement[] | null
    received_at: Date
  }
}
