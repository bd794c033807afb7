import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { isSplit } from '../../scripts/engines/engines.ts'
import { useHarness } from '../../test/harness.ts'
import { startJobs } from './index.ts'
import { VERSION } from './version.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CHECK: '1/60' } })

/** The value of the sample with this name and these labels. */
async function sample(name: string): Promise<number | undefined> {
  const { payload } = await harness().app.inject('/metrics')
  const line = payload.split('\n').find((text) => text.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

describe('the metrics of an installation', () => {
  it('show the version, the disk, the server and the pool', async () => {
    expect(await sample(`vigil_build_info{version="${VERSION}"}`)).toBe(1)
    expect(await sample('vigil_database_writable')).toBe(1)
    const free = (await sample('vigil_disk_free_bytes')) ?? 0
    expect(free).toBeGreaterThan(0)
    expect(await sample('vigil_disk_size_bytes')).toBeGreaterThan(free)
    expect(await sample('vigil_postgres_connections')).toBeGreaterThanOrEqual(1)
    expect(await sample('vigil_postgres_wal_bytes')).toBeGreaterThan(0)
    expect(await sample('vigil_postgres_wal_position_bytes')).toBeGreaterThan(0)
    expect(await sample('vigil_postgres_table_bytes{table="usage_events"}')).toBeGreaterThan(0)
    // It belongs to the directory, which these metrics do not cover when it is apart.
    if (!isSplit()) {
      expect(await sample('vigil_postgres_table_bytes{table="request_log"}')).toBeGreaterThan(0)
    }
    expect(await sample('vigil_database_pool_max')).toBe(6)
    expect(await sample('vigil_database_pool_waiting')).toBe(0)
    expect(await sample('vigil_database_pool_connections{state="busy"}')).toBeLessThanOrEqual(6)
  })

  it('count errors of the database by kind', async () => {
    const name = 'vigil_database_errors_total{kind="statement"}'
    const before = (await sample(name)) ?? 0
    await expect(sql`select 1 / 0`.execute(harness().stores.db)).rejects.toThrow('division')
    expect(await sample(name)).toBe(before + 1)
  })

  it('count requests that exceed a rate limit by the name of the limit', async () => {
    const { keys } = await harness().createTenant()
    const statuses = []
    for (let n = 0; n < 3; n += 1) {
      const check = { email: 'jane@shop.example' }
      const { status } = await harness().post('/v1/check', check, { key: keys.test_secret })
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 429, 429])
    expect(await sample('vigil_rate_limit_refusals_total{limit="check"}')).toBe(2)
  })

  it('show jobs before their first run, and since when each sweep has not ended', async () => {
    const { core, parts } = harness()
    await startJobs(core, parts).stop()
    const runs = 'vigil_job_runs_total{name="billing.post_usage",outcome="failed"}'
    expect(await sample(runs)).toBe(0)
    expect(await sample('vigil_retention_lag_seconds{sweep="sessions"}')).toBeGreaterThanOrEqual(0)
  })

  it('contain no label that names an organization', async () => {
    const { org_id } = await harness().createTenant()
    const { payload } = await harness().app.inject('/metrics')
    expect(payload).not.toContain(org_id)
  })
})
