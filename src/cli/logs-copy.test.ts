/** Rows of one analytics database are copied to another one, also when the copy was interrupted. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { migrationsOf } from '../../scripts/engines/engines.ts'
import { clickhouseAddress, testClickHouse } from '../../test/database.ts'
import { useCommands } from '../../test/support/commands.ts'
import { addEdgeLogs, edgeLog } from '../../test/support/edge-logs.ts'
import { type ClickHouse, createClickHouse } from '../platform/clickhouse/client.ts'
import { migrateAnalytics } from '../platform/clickhouse/migrate.ts'
import { createLog } from '../platform/log.ts'

const shared = testClickHouse()
const folder = mkdtempSync(join(tmpdir(), 'vigil-logs-copy-'))
const [old, wanted] = ['old', 'new'].map((name) => `copy_${name}_${randomUUID().slice(0, 8)}`)
const file = join(folder, 'url')
const ROWS = 2500
const RETENTION_DAYS = 3650
let source: ClickHouse

const urlOf = (database = '') => {
  const { url, username, password } = inject('clickhouse')
  return `${url.replace('://', `://${username}:${password}@`)}/${database}`
}

const countIn = async (database = '') => {
  const [row] = await shared.query<{ rows: number; ids: number }>(
    `select count() as rows, uniqExact(id) as ids from ${database}.edge_logs`,
  )
  return row
}

beforeAll(async () => {
  await shared.command(`create database ${old}`)
  const address = { ...clickhouseAddress(), database: old ?? '' }
  source = createClickHouse({
    address: () => Promise.resolve(address),
    timeout_ms: 30_000,
    log: createLog('silent'),
  })
  const form = { database: old ?? '', cluster: undefined, retention_days: RETENTION_DAYS }
  await migrateAnalytics(source, migrationsOf('clickhouse'), form)
  const at = Date.parse('2026-03-01T12:00:00Z')
  const logs = Array.from({ length: ROWS }, (_, n) =>
    edgeLog({ org_id: randomUUID(), received_at_ms: at + (n % 3) * 86_400_000, message: `${n}` }),
  )
  await addEdgeLogs(source, logs)
  writeFileSync(file, `${urlOf(old)}\n`)
})
afterAll(async () => {
  await source.close()
  for (const name of [old, wanted]) await shared.command(`drop database if exists ${name}`)
  rmSync(folder, { recursive: true })
})

const { vigil } = useCommands({
  get CLICKHOUSE_URL() {
    return urlOf(wanted)
  },
  VIGIL_EDGE_RETENTION_DAYS: String(RETENTION_DAYS),
})

it('copies all rows once, however often it runs', async () => {
  for (let run = 0; run < 2; run += 1) {
    const { status, stdout } = await vigil('logs', 'copy', '--from-file', file)
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `Copied ${ROWS} rows. The source is unchanged\n`,
    })
    expect(await countIn(wanted)).toEqual({ rows: ROWS, ids: ROWS })
  }
  expect(await countIn(old)).toEqual({ rows: ROWS, ids: ROWS })
})

it('refuses a source that is the target, has no data, or is no URL', async () => {
  const same = join(folder, 'same')
  writeFileSync(same, urlOf(wanted))
  const refused = async (...args: string[]) => (await vigil('logs', 'copy', ...args)).stderr
  expect(await refused('--from-file', same)).toContain('The server of the file is that of')
  expect(await refused()).toContain('The embedded analytics engine has no data')
  writeFileSync(same, 'clickhouse.example')
  expect(await refused('--from-file', same)).toContain('must have the URL of a ClickHouse server')
})
