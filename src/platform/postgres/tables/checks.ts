export type CheckTables = Record<never, never>
