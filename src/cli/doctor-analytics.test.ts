import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { processesOf } from '../../test/e2e/processes.ts'
import { readConfig } from '../config.ts'
import { openAnalytics } from '../platform/clickhouse/engine.ts'
import { createLog } from '../platform/log.ts'
import { packageRoot } from '../platform/package-root.ts'
import { readMigrations } from '../platform/postgres/migrate.ts'
import { examineAnalytics } from './doctor-analytics.ts'

function sharedEngine(database: string): string {
  const { url, username, password } = inject('clickhouse')
  return url.replace('://', `://${username}:${password}@`) + `/${database}`
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const examine = async (environment: Record<string, string>, dataDir = '') =>
  await examineAnalytics(readConfig(environment), dataDir)

describe('the doctor on a ClickHouse server', () => {
  it('finds no fault when it responds and its migrations are applied', async () => {
    const all = await examine({ CLICKHOUSE_URL: sharedEngine(inject('clickhouse').database) })
    expect(all.map(({ check, ok }) => [check, ok])).toEqual([
      ['ClickHouse', true],
      ['analytics tables', true],
    ])
    expect(all[0]?.detail).toMatch(/^version \d+\.\d+.* GB of tables$/)
  })

  it('names the pending migrations of a missing database, and does not create it', async () => {
    const environment = { CLICKHOUSE_URL: sharedEngine(`doctor_${randomUUID().slice(0, 8)}`) }
    for (let round = 0; round < 2; round += 1) {
      const [server, tables] = await examine(environment)
      expect(server?.ok).toBe(true)
      expect(tables).toMatchObject({
        ok: false,
        detail: expect.stringContaining('0001_') as string,
      })
    }
  })

  it('reports that an account is rejected, without its password', async () => {
    const url = new URL(sharedEngine('default'))
    url.password = 'hunter2'
    const all = await examine({ CLICKHOUSE_URL: url.href })
    expect(all).toMatchObject([{ check: 'ClickHouse', ok: false }])
    expect(all[0]?.detail).toContain('Authentication failed')
    expect(JSON.stringify(all)).not.toContain('hunter2')
  })
})

describe('the doctor on the embedded engine', () => {
  it('does not start an unused engine', async () => {
    const folder = newFolder()
    expect(await examine({}, folder)).toMatchObject([{ check: 'analytics engine', ok: true }])
    expect(readdirSync(folder)).toEqual([])
  })

  it('reports damaged parts, and leaves no process running', async () => {
    const data_dir = newFolder()
    const analytics = openAnalytics({
      clickhouse_url: undefined,
      cluster: undefined,
      data_dir,
      migrations: readMigrations(join(packageRoot(), 'migrations', 'clickhouse')),
      retention_days: 30,
      memory_mb: 512,
      threads: 1,
      query_timeout_ms: 15_000,
      log: createLog('silent'),
      progress: () => undefined,
    })
    const row = {
      org_id: randomUUID(),
      id: randomUUID(),
      mode: 'live',
      received_at: Math.floor(Date.now() / 1000),
    }
    const lines = [Buffer.from(`${JSON.stringify(row)}\n`)]
    await analytics.clickhouse.insert('rum_events', lines, 'a', AbortSignal.timeout(15_000))
    await analytics.close()

    const environment = { VIGIL_CLICKHOUSE_MEMORY_MB: '512' }
    expect(await examine(environment, data_dir)).toMatchObject([
      { check: 'analytics engine', ok: true },
      { check: 'analytics tables', ok: true },
    ])
    const store = join(data_dir, 'clickhouse', 'store')
    const parts = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('_1_1_0/checksums.txt'),
    )
    expect(parts.length).toBeGreaterThan(0)
    for (const file of parts) writeFileSync(join(store, file), 'damaged')
    const [, tables] = await examine(environment, data_dir)
    expect(tables).toMatchObject({ ok: false, advice: expect.stringContaining('disk') as string })
    expect(tables?.detail).toMatch(/damaged parts are detached/)
    // The shell that watches the engine ends shortly after it.
    if (process.platform === 'linux') {
      await vi.waitFor(() => expect(processesOf(data_dir)).toEqual([]), { timeout: 10_000 })
    }
  })
})
