/** Checks whether a server answers, and creates the database if the cluster is new. */
import { Client } from 'pg'
import type { PostgresAddress } from './place.ts'

/** `busy` means that the server is starting, recovering or stopping. */
export type ServerState = 'ready' | 'busy' | 'down'

const DATABASE_MISSING = '3D000'
const CANNOT_CONNECT_NOW = '57P03'
const CONNECT_TIMEOUT_MS = 5000

export async function probe(
  address: PostgresAddress,
  progress: (step: string) => void,
): Promise<ServerState> {
  const fault = await tryConnect(address, 'SELECT 1')
  if (fault !== DATABASE_MISSING) return stateAfter(fault)
  progress('Creating the database')
  await tryConnect({ ...address, database: 'postgres' }, `CREATE DATABASE ${address.database}`)
  // Another process may have created it in the meantime, so only the result of the probe counts.
  return stateAfter(await tryConnect(address, 'SELECT 1'))
}

function stateAfter(fault: string | undefined): ServerState {
  if (fault === undefined) return 'ready'
  return fault === CANNOT_CONNECT_NOW ? 'busy' : 'down'
}

/** @returns the error code, or undefined if the statement succeeded */
async function tryConnect(
  address: PostgresAddress,
  statement: string,
): Promise<string | undefined> {
  const client = new Client({ ...address, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  // Without a listener, losing the server in between would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(statement)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? 'unknown'
  } finally {
    await client.end().catch(() => undefined)
  }
}
