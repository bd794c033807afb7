/**
 * The limit that checks are held against, in a process of its own like the load generator: clients
 * that each commit one small row at a time on a connection of their own.
 */
import { Client } from 'pg'
import type { PostgresAddress } from '../src/platform/postgres/embedded/server.ts'
import { type Latency, summarise } from './statistics.ts'
import { serveJobs } from './worker.ts'

export type InsertJob = {
  address: PostgresAddress
  clients: number
  warm_seconds: number
  seconds: number
}

export type InsertResult = Latency & {
  requests: number
  per_second: number
  /** Those before the counted time included. */
  answered: number
  cpu_seconds: number
}

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
  await serveJobs<InsertJob, InsertResult>(insert)
}

async function insert(job: InsertJob): Promise<InsertResult> {
  const clients = Array.from({ length: job.clients }, () => new Client(job.address))
  try {
    await Promise.all(clients.map(async (client) => await client.connect()))
    await clients[0]?.query(TABLE)
    const latencies: number[] = []
    let inserted = 0
    const cpu = process.cpuUsage()
    const countFrom = performance.now() + job.warm_seconds * 1000
    const endAt = countFrom + job.seconds * 1000
    const insertInTurn = async (client: Client) => {
      while (performance.now() < endAt) {
        const started = performance.now()
        await client.query({ ...INSERT, values: [ORG_ID, BODY, new Date()] })
        inserted += 1
        const now = performance.now()
        if (now >= countFrom && now < endAt) latencies.push(now - started)
      }
    }
    await Promise.all(clients.map(insertInTurn))
    const { user, system } = process.cpuUsage(cpu)
    return {
      ...summarise(latencies),
      requests: latencies.length,
      per_second: latencies.length / job.seconds,
      answered: inserted,
      cpu_seconds: (user + system) / 1e6,
    }
  } finally {
    await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
  }
}
