/**
 * The limit of everything that commits to PostgreSQL, in a process of its own: clients that each commit one
 * row at a time over a connection of their own.
 */
import { Client } from 'pg'
import type { PostgresAddress } from '../src/platform/postgres/embedded/place.ts'
import { type LoadJob, type LoadResult, runLoad } from './loads.ts'
import { serveJobs } from './worker.ts'

export type InsertJob = LoadJob & {
  address: PostgresAddress
  clients: number
  /** `spool` inserts the payloads of `bench_payloads`, which the service wrote. */
  table: 'rows' | 'spool'
}

const CREATE_ROWS = `create table if not exists bench_rows (org_id uuid, id uuid, body json not null,
  created_at timestamptz not null, primary key (org_id, id))`
/** The statements are prepared, as those of the service are, and commit by themselves. */
const INSERT_ROW = {
  name: 'bench_insert',
  text: 'insert into bench_rows (org_id, id, body, created_at) values ($1, uuidv7(), $2, $3)',
}
const INSERT_PAYLOAD = {
  name: 'bench_insert_payload',
  text: `insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
    values ($1, uuidv7(), 'live', 'edge_logs', $2, $3, $4)`,
}
const ORG_ID = '00000000-0000-7000-8000-000000000001'
const BODY = '{"email":"somebody@example.com","risk_score":0,"risk_level":"low","tier":"standard"}'

type Insert = (client: Client) => Promise<unknown>

export async function serveInsertLoad(): Promise<void> {
  await serveJobs<InsertJob, LoadResult>(async (job) => {
    const clients = Array.from({ length: job.clients }, () => new Client(job.address))
    try {
      await Promise.all(clients.map(async (client) => await client.connect()))
      const insert = await (job.table === 'rows' ? prepareRows(clients) : preparePayloads(clients))
      return await runLoad(
        job,
        clients.map((client) => async () => await insert(client)),
      )
    } finally {
      await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
    }
  })
}

async function prepareRows([first]: Client[]): Promise<Insert> {
  await first?.query(CREATE_ROWS)
  return async (client) => await client.query({ ...INSERT_ROW, values: [ORG_ID, BODY, new Date()] })
}

async function preparePayloads([first]: Client[]): Promise<Insert> {
  const found = await first?.query<{ entries: number; payload: Buffer }>(
    'select entries, payload from bench_payloads',
  )
  const rows = found?.rows ?? []
  let inserted = 0
  return async (client) => {
    inserted += 1
    const row = rows[inserted % rows.length]
    if (!row) throw new Error('bench_payloads is empty')
    const { entries, payload } = row
    return await client.query({
      ...INSERT_PAYLOAD,
      values: [ORG_ID, entries, payload, payload.length],
    })
  }
}
