import type { Mode } from '../../platform/owner.ts'

export const APPLICATION_TYPES = ['flutter'] as const

export type ApplicationTables = {
  applications: {
    org_id: string
    id: string
    type: (typeof APPLICATION_TYPES)[number]
    environment: Mode
    name: string
    created_at: Date
    updated_at: Date
    deleted_at: Date | null
  }
}
