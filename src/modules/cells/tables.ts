import type { Generated } from 'kysely'

export type CellTables = {
  cells: {
    name: string
    sealed_url: string | null
    schema: string | null
    is_open: boolean
    created_at: Generated<Date>
  }
}
