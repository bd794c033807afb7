/**
 * The limit that everything is held against, in a process of its own like the load generator:
 * clients that each commit one small row at a time on a connection of their own.
 */
import { Client } from 'pg'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'
import { type LoadResult, type LoopJob, runClosedLoop } from './loop.ts'
import { serveJobs } from './worker.ts'

export type InsertJob = LoopJob & { address: PostgresAddress; clients: number }

const TABLE = `create table if not exists bench_rows (
  org_id uuid not null,
  id uuid not null,
  body json not null,
  created_at timestamptz not null,
  primary key (org_id, id)
)`
/** Prepared, as the statements of the service are; outside a transaction it commits by itself. */
const INSERT = {
  name: 'bench_insert',
  text: 'insert into bench_rows (org_id, id, body, created_at) values ($1, uuidv7(), $2, $3)',
}
const ORG_ID = '00000000-0000-7000-8000-000000000001'
const BODY = JSON.stringify({
  email: 'somebody@example.com',
  risk_score: 0,
  risk_level: 'low',
  tier: 'standard',
})

export async function serveInsertLoad(): Promise<void> {
  await serveJobs<InsertJob, LoadResult>(insert)
}

async function insert(job: InsertJob): Promise<LoadResult> {
  const clients = Array.from({ length: job.clients }, () => new Client(job.address))
  try {
    await Promise.all(clients.map(async (client) => await client.connect()))
    await clients[0]?.query(TABLE)
    const insertWith = (client: Client) => async () =>
      await client.query({ ...INSERT, values: [ORG_ID, BODY, new Date()] })
    return await runClosedLoop(job, clients.map(insertWith))
  } finally {
    await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
  }
}
