export type StateTables = {
  states: {
    org_id: string
    id: string
    kind: string
    version: number
    /** Version of the state that this one replaces; 0 if there was none. */
    made_from: number
    /** Only in rows that were last written by an earlier version. */
    state: object | null
    /** JSON as text, because the server would only verify it. */
    state_text: string | null
    updated_at: Date
  }
}
