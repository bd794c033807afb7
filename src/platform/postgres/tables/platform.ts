import type { Generated } from 'kysely'

/** Live and test data never mix; every row of the product says to which side it belongs. */
export type Mode = 'live' | 'test'

export type PlatformTables = {
  data_keys: {
    id: string
    master_key_id: string
    wrapped_key: Buffer
    created_at: Generated<Date>
  }
  installation_secrets: {
    name: string
    sealed: string
    created_at: Generated<Date>
  }
  events: {
    id: string
    org_id: string
    mode: Mode
    type: string
    body: string
    occurred_at: Date
  }
}
