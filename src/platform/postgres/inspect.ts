import { sql } from 'kysely'
import type { Db } from './db.ts'

export type ServerFacts = { version: string; version_number: number; now: Date }

export async function inspectServer(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as version_number,
      clock_timestamp() as now`.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('the server returned no version')
  return facts
}
