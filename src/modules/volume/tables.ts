import type { Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

export type VolumeTables = {
  usage_slots: {
    org_id: string
    mode: Mode
    slot_at: Date
    meter: string
    quantity: number
    cost_units: number
  }
  usage_key_slots: {
    org_id: string
    mode: Mode
    slot_at: Date
    key_id: string
    meter: string
    quantity: number
    cost_units: number
  }
  usage_fold: { is_only: Generated<boolean>; folded_until: Date }
}
