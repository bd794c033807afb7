/**
 * The limit of taking logs in, in a process of its own: clients that each commit one row of the spool
 * at a time, with the bytes that the service writes for a batch, on a connection of its own.
 */
import { Client } from 'pg'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'
import type { LogBatchKind } from './logs-requests.ts'
import { type LoadResult, type LoopJob, runClosedLoop } from './loop.ts'
import { serveJobs } from './worker.ts'

export type PayloadInsertJob = LoopJob & {
  address: PostgresAddress
  clients: number
  kind: LogBatchKind
}

/** Prepared, as the statements of the service are; outside a transaction it commits by itself. */
const INSERT = {
  name: 'bench_insert_payload',
  text: `insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
    values ($1, uuidv7(), 'live', 'edge_logs', $2, $3, $4)`,
}
const ORG_ID = '00000000-0000-7000-8000-000000000001'

export async function serveLogsInserts(): Promise<void> {
  await serveJobs<PayloadInsertJob, LoadResult>(insert)
}

async function insert(job: PayloadInsertJob): Promise<LoadResult> {
  const clients = Array.from({ length: job.clients }, () => new Client(job.address))
  try {
    await Promise.all(clients.map(async (client) => await client.connect()))
    const samples = await clients[0]?.query<{ entries: number; payload: Buffer }>(
      'select entries, payload from bench_payloads where kind = $1',
      [job.kind],
    )
    const rows = samples?.rows ?? []
    let inserted = 0
    const insertWith = (client: Client) => async () => {
      inserted += 1
      const row = rows[inserted % rows.length]
      if (!row) throw new Error('there is nothing to insert')
      const { entries, payload } = row
      return await client.query({ ...INSERT, values: [ORG_ID, entries, payload, payload.length] })
    }
    return await runClosedLoop(job, clients.map(insertWith))
  } finally {
    await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
  }
}
