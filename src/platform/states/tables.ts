export type StateTables = {
  states: {
    org_id: string
    id: string
    kind: string
    version: number
    /** Version of the state that this one replaces; 0 if there was none. */
    made_from: number
    state: object
    updated_at: Date
  }
}
