import type { Generated } from 'kysely'

export type CellTables = {
  cells: {
    name: string
    sealed_url: string | null
    schema: string | null
    is_open: boolean
    created_at: Generated<Date>
  }
  organization_moves: {
    org_id: string
    id: string
    source: string
    target: string
    started_at: Generated<Date>
    switched_at: Date | null
    finished_at: Date | null
    verified_rows: Generated<number>
  }
}
