import type { Generated } from 'kysely'

export type CryptoTables = {
  data_keys: { id: string; master_key_id: string; wrapped_key: Buffer; created_at: Generated<Date> }
  installation_secrets: { name: string; sealed: string; created_at: Generated<Date> }
}
