/** A single connection without the pool and its time limits, for work that takes long or needs COPY. */
import { Client, type ClientConfig, escapeIdentifier } from 'pg'
import type { PostgresAddress } from './embedded/place.ts'

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens a connection. Its loss fails the statement that runs and the next ones.
 *
 * @param name shown by the server as `application_name`
 * @param schema of the tables; by default that of the account
 */
export async function openConnection(
  server: string | PostgresAddress,
  name: string,
  schema?: string,
): Promise<Client> {
  const address: ClientConfig =
    typeof server === 'string' ? { connectionString: server } : { ...server }
  const client = new Client({
    ...address,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  // Without a listener, losing the server would end the process.
  client.on('error', () => undefined)
  await client.connect()
  if (schema !== undefined) await client.query(`set search_path = ${escapeIdentifier(schema)}`)
  return client
}
