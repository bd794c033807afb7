import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { clickhouseAddress, testClickHouse } from '../../../test/database.ts'
import { createDigest } from '../backup/digest.ts'
import { createLog } from '../log.ts'
import { packageRoot } from '../package-root.ts'
import { readMigrations } from '../postgres/migrate.ts'
import { createClickHouse } from './client.ts'
import { beginLoad, deleteRows, endLoad, type Place, readBlocks } from './dump.ts'
import { migrateAnalytics, tablesOf } from './migrate.ts'

const migrations = readMigrations(join(packageRoot(), 'migrations', 'clickhouse'))
const shared = testClickHouse()
const database = `dump_${randomUUID().replaceAll('-', '')}`
const place: Place = {
  clickhouse: createClickHouse({
    address: () => Promise.resolve({ ...clickhouseAddress(), database }),
    timeout_ms: 30_000,
    log: createLog('silent'),
  }),
  database,
  cluster: undefined,
}

const ROWS = 2500
const orgs = [randomUUID(), randomUUID()]
const lines = Array.from({ length: ROWS }, (_, index) => ({
  org_id: orgs[index % 2],
  mode: 'live',
  id: randomUUID(),
  // Two partitions, and many rows at the same time.
  received_at: `2026-03-0${1 + (index % 2)} 10:00:00.123`,
  timestamp_ms: 1_772_359_200_000 + (index % 7) * 3_600_000,
  device_id: 'till "1"\\\n',
  level: 'error',
  category: 'x',
  environment: '',
  message: `größer ${index} \t 😀`,
  tags: ['a', "b'c"],
}))
const asLines = (rows: readonly object[]) =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const insert = async (rows: readonly object[]) =>
  await place.clickhouse.insert(
    'edge_logs',
    [asLines(rows)],
    randomUUID(),
    AbortSignal.timeout(30_000),
  )

beforeAll(async () => {
  await shared.command(`create database ${database}`)
  await migrateAnalytics(place.clickhouse, migrations, {
    database,
    cluster: undefined,
    retention_days: 3650,
  })
  for (const day of [0, 1]) await insert(lines.filter((_, index) => index % 2 === day))
  return async () => {
    await place.clickhouse.close()
    await shared.command(`drop database ${database}`)
  }
})

async function readAll(): Promise<{ blocks: Buffer[]; rows: number; digest: string }> {
  const blocks: Buffer[] = []
  const digest = createDigest()
  for await (const block of readBlocks(place, 'edge_logs')) {
    blocks.push(block.lines)
    digest.addLines(block.lines)
  }
  return { blocks, ...digest.value() }
}

describe('a table of the analytics engine', () => {
  it('is read completely in blocks, which restore it exactly', async () => {
    expect(tablesOf(migrations)).toEqual(['edge_logs', 'rum_events'])
    const before = await readAll()
    expect(before.rows).toBe(ROWS)
    expect(before.blocks.length).toBeGreaterThan(2)
    await expect(beginLoad(place, ['edge_logs'], false)).rejects.toThrow('has data')
    await beginLoad(place, ['edge_logs'], true)
    for (const block of before.blocks.slice(0, 1)) {
      const signal = AbortSignal.timeout(30_000)
      await place.clickhouse.insert('edge_logs', [block], randomUUID(), signal)
    }
    // An interrupted restore has begun, so its rows are no obstacle.
    await beginLoad(place, ['edge_logs'], false)
    for (const block of before.blocks) {
      const signal = AbortSignal.timeout(30_000)
      await place.clickhouse.insert('edge_logs', [block], randomUUID(), signal)
    }
    await endLoad(place)
    const { rows, digest } = await readAll()
    expect({ rows, digest }).toEqual({ rows: ROWS, digest: before.digest })
    await expect(beginLoad(place, ['edge_logs'], false)).rejects.toThrow('has data')
  })

  it('loses the rows that will be inserted again, and no others', async () => {
    const waiting = lines.slice(10, 20).map(({ id }) => id)
    expect(await deleteRows(place, 'edge_logs', [...waiting, randomUUID()])).toBe(10)
    expect((await readAll()).rows).toBe(ROWS - 10)
    expect(await deleteRows(place, 'edge_logs', waiting)).toBe(0)
    expect(await deleteRows(place, 'edge_logs', [])).toBe(0)
  })
})
