import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addEdgeLogs, edgeLog } from '../../../../../test/support/edge-logs.ts'
import { type ClickHouse, createClickHouse } from '../../../../platform/clickhouse/client.ts'
import { ensureDatabase, migrateAnalytics } from '../../../../platform/clickhouse/migrate.ts'
import { createLog } from '../../../../platform/log.ts'
import { packageRoot } from '../../../../platform/package-root.ts'
import { readMigrations } from '../../../../platform/postgres/migrate.ts'
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { countSeries, countValues } from '../analysis/store.ts'
import {
  countGroupBuckets,
  readDeviceGroups,
  readGroupDevices,
  readGroupHours,
  readGroupVersions,
} from '../explorer/store.ts'
import type { LogFilters } from '../filters.ts'
import {
  countBuckets,
  countDevicesWithErrors,
  countErrorTypes,
  countLevels,
} from './counts.store.ts'
import { readErrorGroup, readErrorGroups } from './error-groups.store.ts'
import { readPage } from './store.ts'

/**
 * Checks the engine's query plans for what would be read; times would only show how busy the machine
 * is. It uses a database of its own, because rows of other tests cost one granule per part.
 */
const open = (database: string) =>
  createClickHouse({
    address: () => Promise.resolve({ ...inject('clickhouse'), database }),
    timeout_ms: 30_000,
    log: createLog('silent'),
  })
const database = `cost_${randomUUID().replaceAll('-', '')}`
const admin = open('default')
const clickhouse = open(database)
afterAll(async () => {
  await clickhouse.close()
  await admin.command(`drop database ${database}`)
  await admin.close()
})

const NOW = new Date()
/** Counts by group use the sums by fingerprint. */
const merges = new Map([['cd'.repeat(16), 'ab'.repeat(16)]])
const HOURS = 50
const PER_HOUR = 1000
/** Versions of the first error, of one in the middle, and of one in the last hour, by the index of the log. */
const VERSIONS = new Map([
  [0, '1.0'],
  [25_000, '1.5'],
  [49_500, '2.0'],
])
const owner = { org_id: randomUUID(), mode: 'live' as const }
const from_ms = (Math.floor(NOW.getTime() / HOUR_MS) - HOURS) * HOUR_MS
const everything = { from_ms, until_ms: from_ms + HOURS * HOUR_MS - 1 }

beforeAll(async () => {
  const form = { database, cluster: undefined, retention_days: 3650 }
  await ensureDatabase(clickhouse, admin, form)
  const migrations = readMigrations(join(packageRoot(), 'migrations', 'clickhouse'))
  await migrateAnalytics(clickhouse, migrations, form)
  const logs = Array.from({ length: HOURS * PER_HOUR }, (_, index) =>
    edgeLog({
      ...owner,
      received_at_ms: NOW.getTime() - 1000,
      timestamp_ms: from_ms + index * (HOUR_MS / PER_HOUR),
      device_id: `till-${index % 20}`,
      level: index % 10 === 0 ? 'error' : 'info',
      error_fingerprint: index % 10 === 0 ? 'ab'.repeat(16) : '',
      message: index === 12_345 ? 'the needle' : 'a straw like all the others',
      data: JSON.stringify({
        order: { id: 100_000 + index },
        step: `Step ${index % 7}`,
        version: VERSIONS.get(index),
      }),
    }),
  )
  await addEdgeLogs(clickhouse, logs)
})

type Plan = { sql: string; plan: string }

/** Runs the reading and returns the plan of each of its queries. */
async function plansOf(read: (reader: Pick<ClickHouse, 'query'>) => Promise<unknown>) {
  const plans: Plan[] = []
  await read({
    query: async <Row>(sql: string, params = {}) => {
      const lines = await clickhouse.query<{ explain: string }>(
        `explain indexes = 1, projections = 1 ${sql}`,
        params,
      )
      plans.push({ sql, plan: lines.map(({ explain }) => explain).join('\n') })
      return await clickhouse.query<Row>(sql, params)
    },
  })
  return plans
}

/** Number of granules that are read from the table itself. */
const granulesOf = ({ plan }: Plan): number =>
  [
    ...plan.matchAll(/ReadFromMergeTree \(\w+\.edge_logs\)[^]*?Parts: \d+ \| Granules: (\d+)/g),
  ].reduce((sum, [, granules]) => sum + Number(granules), 0)
const ALL_GRANULES = Math.floor((HOURS * PER_HOUR) / 2048)

describe('counts over whole hours', () => {
  const window = everything
  it.each([
    ['levels', 'log_hours', countLevels],
    ['devices with errors', 'device_hours', countDevicesWithErrors],
    ['types of errors', 'error_hours', countErrorTypes],
  ] as const)('of %s read no log', async (_what, rollUp, count) => {
    const [plan] = await plansOf(async (reader) => await count(reader, owner, window))
    expect(plan?.plan).toContain(`ReadFromMergeTree (${rollUp})`)
    expect(granulesOf(plan as Plan)).toBe(0)
  })

  it.each([
    ['level', 'log_hours'],
    ['category', 'log_hours'],
    ['device_id', 'device_hours'],
    ['error_type', 'error_hours'],
  ])('by %s read no log, in total and over time', async (field, rollUp) => {
    const plans = await plansOf(async (reader) => {
      await countValues(reader, owner, { window, filters: {}, field, limit: 10 })
      const series = { window, filters: {}, field, values: ['info'], bucketMs: HOUR_MS }
      await countSeries(reader, owner, series)
    })
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan.plan).toContain(`ReadFromMergeTree (${rollUp})`)
      expect(granulesOf(plan)).toBe(0)
    }
  })

  it('of devices with errors since a day come from the errors, and not from all devices', async () => {
    const days = { received_since: new Date(NOW.getTime() - DAY_MS).toISOString().slice(0, 10) }
    const [plan] = await plansOf(async (reader) => {
      expect(await countDevicesWithErrors(reader, owner, days)).toBe(2)
    })
    expect(plan?.plan).toContain('ReadFromMergeTree (error_hours)')
    expect(granulesOf(plan as Plan)).toBe(0)
  })

  it('for trends and error groups read no log', async () => {
    const trends = { window, filters: {}, bucketMs: HOUR_MS }
    const [trend] = await plansOf(async (reader) => await countBuckets(reader, owner, trends))
    expect(trend?.plan).toContain('ReadFromMergeTree (log_hours)')
    expect(granulesOf(trend as Plan)).toBe(0)
    const page = { window, filters: {}, merges, skip: 0, limit: 50 }
    const groups = await plansOf(async (reader) => await readErrorGroups(reader, owner, page))
    expect(groups).toHaveLength(2)
    for (const plan of groups) {
      expect(plan.plan).toContain('ReadFromMergeTree (error_hours)')
      expect(granulesOf(plan)).toBe(0)
    }
  })
})

describe('filters', () => {
  const fingerprint = 'ab'.repeat(16)
  const counts = {
    levels: countLevels,
    devices: countDevicesWithErrors,
    types: countErrorTypes,
    groups: async (
      reader: Pick<ClickHouse, 'query'>,
      of: typeof owner,
      window: typeof everything,
      filters: LogFilters,
    ) => await readErrorGroups(reader, of, { window, filters, merges, skip: 0, limit: 50 }),
  }
  it.each([
    ['levels', 'log_hours', { environment: 'production' }],
    ['levels', 'log_hours', { levels: ['error'], category: 'payment' }],
    ['levels', 'device_hours', { device_id: 'till-7' }],
    ['levels', 'device_hours', { device_id: 'till-7', levels: ['error'] }],
    ['devices', 'device_hours', { device_id: 'till-7' }],
    ['devices', 'device_hours', { levels: ['error'] }],
    ['types', 'error_hours', { error_fingerprint: fingerprint }],
    ['groups', 'error_hours', { error_fingerprint: fingerprint }],
  ] as const)('on columns of a roll-up read no log: %s from %s', async (what, rollUp, filters) => {
    const plans = await plansOf(
      async (reader) => await counts[what](reader, owner, everything, filters),
    )
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan.plan).toContain(`ReadFromMergeTree (${rollUp})`)
      expect(granulesOf(plan)).toBe(0)
    }
  })

  it.each([
    ['levels', { error_fingerprint: fingerprint }],
    ['devices', { environment: '' }],
    ['types', { device_id: 'till-10' }],
    ['groups', { device_id: 'till-10' }],
  ] as const)('on other columns read the logs of the time: %s', async (what, filters) => {
    const window = { from_ms: everything.from_ms, until_ms: from_ms + HOUR_MS - 1 }
    const plans = await plansOf(
      async (reader) => await counts[what](reader, owner, window, filters),
    )
    for (const plan of plans) {
      expect(granulesOf(plan)).toBeGreaterThan(0)
      expect(granulesOf(plan)).toBeLessThan(4)
    }
  })
})

describe('details', () => {
  const fingerprint = 'ab'.repeat(16)

  it('of error groups by step read no log', async () => {
    const query = { window: everything, fingerprints: [fingerprint], bucketMs: 2 * HOUR_MS }
    const [plan] = await plansOf(async (reader) => await countGroupBuckets(reader, owner, query))
    expect(plan?.plan).toContain('ReadFromMergeTree (error_hours)')
    expect(granulesOf(plan as Plan)).toBe(0)
  })

  it('of one error group read no log', async () => {
    const query = { window: everything, merges, fingerprints: [fingerprint] }
    const plans = await plansOf(async (reader) => {
      expect(await readErrorGroup(reader, owner, query)).toMatchObject({
        fingerprint,
        count: (HOURS * PER_HOUR) / 10,
        affected_devices: 2,
      })
    })
    expect(plans.map(granulesOf)).toEqual([0])
  })

  it('of the versions of a group come from its first and last hour if these have some', async () => {
    const query = { window: everything, fingerprints: [fingerprint] }
    const hours = await readGroupHours(clickhouse, owner, query)
    expect(hours).toHaveLength(HOURS)
    const ends = await plansOf(async (reader) => {
      const versions = await readGroupVersions(reader, owner, { ...query, hours })
      expect(versions).toMatchObject({ first_version: '1.0', last_version: '2.0' })
    })
    expect(ends).toHaveLength(1)
    expect(granulesOf(ends[0] as Plan)).toBeLessThanOrEqual(4)
    const inner = hours.slice(1, -1)
    const plans = await plansOf(async (reader) => {
      const versions = await readGroupVersions(reader, owner, { ...query, hours: inner })
      expect(versions).toMatchObject({ first_version: '1.5', last_version: '1.5' })
    })
    expect(plans).toHaveLength(2)
  })

  it.each([
    [
      'the devices of a group',
      'error_hours',
      async (reader: Pick<ClickHouse, 'query'>) => {
        const query = { window: everything, fingerprints: [fingerprint] }
        const hours = await readGroupHours(reader, owner, query)
        return await readGroupDevices(reader, owner, { ...query, hours, limit: 100 })
      },
    ],
    [
      'the groups of a device',
      'device_hours',
      async (reader: Pick<ClickHouse, 'query'>) =>
        await readDeviceGroups(reader, owner, {
          window: everything,
          device_id: 'till-0',
          merges,
          limit: 50,
        }),
    ],
  ])('of %s come from the hours that the roll-up names', async (_what, rollUp, read) => {
    const [hours, rows] = await plansOf(async (reader) => {
      expect((await read(reader)).length).toBeGreaterThan(0)
    })
    expect(hours?.plan).toContain(`ReadFromMergeTree (${rollUp})`)
    expect(granulesOf(hours as Plan)).toBe(0)
    expect(rows).toBeDefined()
  })
})

describe('counts over partial hours', () => {
  it('read only the logs of the two hours at the edges', async () => {
    const window = { from_ms: from_ms + 1000, until_ms: everything.until_ms - 1000 }
    const [plan] = await plansOf(async (reader) => await countLevels(reader, owner, window))
    expect(plan?.plan).toContain('ReadFromMergeTree (log_hours)')
    expect(granulesOf(plan as Plan)).toBeLessThanOrEqual(4)
  })
})

describe('a page', () => {
  const FILTERS = [
    {},
    { levels: ['error' as const] },
    { device_id: 'till-7' },
    { error_fingerprint: 'ab'.repeat(16) },
  ]

  it.each([0, 20_000])(
    'at offset %d is located in the roll-ups and read from few hours',
    async (skip) => {
      for (const filters of FILTERS) {
        const query = {
          window: everything,
          filters,
          skip: Object.keys(filters).length ? 500 : skip,
          limit: 50,
        }
        const [place, rows] = await plansOf(async (reader) => await readPage(reader, owner, query))
        expect(granulesOf(place as Plan)).toBe(0)
        expect(granulesOf(rows as Plan)).toBeGreaterThan(0)
        expect(granulesOf(rows as Plan)).toBeLessThanOrEqual(6)
      }
    },
  )

  it('of a rare word is found by the text index without reading other logs', async () => {
    const query = { window: everything, filters: { q: 'NEEDLE' }, skip: 0, limit: 50 }
    const [place, rows] = await plansOf(async (reader) => {
      expect((await readPage(reader, owner, query)).total).toBe(1)
    })
    expect(place?.plan).toContain('Name: message_words')
    expect(granulesOf(place as Plan)).toBe(1)
    expect(granulesOf(rows as Plan)).toBe(1)
  })

  it.each(['need*', '*eedl*', 'straw OR need* -level:info -straw'])(
    'of parts of a word is found by the text index: %s',
    async (q) => {
      const query = { window: everything, filters: { q }, skip: 0, limit: 50 }
      const [place] = await plansOf(async (reader) => await readPage(reader, owner, query))
      expect(place?.plan).toContain('Name: message_words')
    },
  )

  it.each(['*dle', '*eed*', '*ee*', 'ne*'])(
    'of a rare part of two or three letters reads only logs that have it: %s',
    async (q) => {
      const query = { window: everything, filters: { q }, skip: 0, limit: 50 }
      const [place] = await plansOf(async (reader) => await readPage(reader, owner, query))
      expect(granulesOf(place as Plan)).toBe(1)
    },
  )

  it.each([
    ['data.order.id:112345', 2],
    ['data.order.id:112345 OR data.order.id:140000', 4],
    ['data.order.id:112345 data.step:"step 4"', 2],
    ['data.step:cancel', 0],
    ['has:data.customer', 0],
    ['data.customer:>5', 0],
    ['data.customer:a*', 0],
    ['data:"the missing word"', 0],
  ])('of a rare value of data reads few logs: %s', async (q, most) => {
    const query = { window: everything, filters: { q }, skip: 0, limit: 50 }
    const [place] = await plansOf(async (reader) => await readPage(reader, owner, query))
    expect(place?.plan).toContain('Name: data_words')
    expect(granulesOf(place as Plan)).toBeLessThanOrEqual(most)
  })

  it.each([
    ['level:>=error -category:payment', 'log_hours'],
    ['device:till-3 (level:error OR level:warn)', 'device_hours'],
  ])('of fields is counted without reading logs: %s', async (q, rollUp) => {
    const query = { window: everything, filters: { q }, skip: 0, limit: 50 }
    const [place] = await plansOf(async (reader) => await readPage(reader, owner, query))
    expect(place?.plan).toContain(`ReadFromMergeTree (${rollUp})`)
    expect(granulesOf(place as Plan)).toBe(0)
  })

  it('of a word that does not occur reads nothing', async () => {
    const query = { window: everything, filters: { q: '"no such"' }, skip: 0, limit: 50 }
    const plans = await plansOf(async (reader) => {
      expect(await readPage(reader, owner, query)).toEqual({ rows: [], total: 0 })
    })
    expect(plans.map(granulesOf)).toEqual([0])
    expect(ALL_GRANULES).toBeGreaterThan(20)
  })
})
