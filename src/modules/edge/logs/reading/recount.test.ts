import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../../test/database.ts'
import {
  addEdgeLogs,
  type EdgeLog,
  randomEdgeLog,
  seeded,
} from '../../../../../test/support/edge-logs.ts'
import type { Mode } from '../../../../platform/postgres/tables/platform.ts'
import type { Window } from '../../../../platform/told-dates.ts'
import { createMatcher, type LogFilters } from '../filters.ts'
import { ERROR_LEVELS, LEVELS } from '../level.ts'
import { readErrorGroups } from './errors/store.ts'
import {
  countBuckets,
  countDevicesWithErrors,
  countErrorTypes,
  countLevels,
} from './statistics/store.ts'
import { readPage } from './store.ts'
import { DAY_MS, HOUR_MS, windowOf } from './window.ts'

// The engine forgets by its own clock what was received too long ago.
const NOW = new Date()
const DAYS = 12
const random = seeded(20_260_301)
const owners = [randomUUID(), randomUUID(), randomUUID()].flatMap((org_id) =>
  (['live', 'test'] as const).map((mode) => ({ org_id, mode })),
)
const logs: EdgeLog[] = Array.from({ length: 6000 }, () => randomEdgeLog(random, owners, NOW, DAYS))
const clickhouse = testClickHouse()
beforeAll(async () => await addEdgeLogs(clickhouse, logs, 3))

const timeBefore = (maxMs: number) => NOW.getTime() - Math.floor(random() * maxMs)
const onTheHour = (timeMs: number) => Math.floor(timeMs / HOUR_MS) * HOUR_MS
const BASE = timeBefore(3 * DAY_MS)
const WINDOWS: [name: string, window: Window][] = [
  ['all that was received in some days', windowOf({}, NOW, 5) as Window],
  ['from a moment on', { from_ms: timeBefore(9 * DAY_MS) }],
  [
    'from the begin of an hour to the end of one',
    { from_ms: onTheHour(BASE) - 5 * HOUR_MS, until_ms: onTheHour(BASE) - 1 },
  ],
  [
    'from the begin of an hour to the begin of one',
    { from_ms: onTheHour(BASE) - 5 * HOUR_MS, until_ms: onTheHour(BASE) },
  ],
  ['between two moments', { from_ms: timeBefore(9 * DAY_MS) - 9 * DAY_MS, until_ms: BASE }],
  ['within one hour', { from_ms: onTheHour(BASE) + 60_000, until_ms: onTheHour(BASE) + 2_000_000 }],
  ['of one millisecond', { from_ms: onTheHour(BASE), until_ms: onTheHour(BASE) }],
  ['around 1970', { from_ms: -1_900_000, until_ms: 1_900_000 }],
  ['before 1970', { from_ms: Date.parse('0001-01-01T00:00:00Z'), until_ms: -1 }],
  [
    'in another century',
    { from_ms: Date.parse('2099-01-01T00:00:00Z'), until_ms: Date.parse('2099-12-31T00:00:00Z') },
  ],
  [
    'of everything',
    { from_ms: Date.parse('0001-01-01T00:00:00Z'), until_ms: Date.parse('2100-01-01T00:00:00Z') },
  ],
]

const within = (log: EdgeLog, { received_since, from_ms, until_ms }: Window): boolean =>
  (received_since === undefined ||
    new Date(log.received_at_ms).toISOString().slice(0, 10) >= received_since) &&
  (from_ms === undefined || log.timestamp_ms >= from_ms) &&
  (until_ms === undefined || log.timestamp_ms <= until_ms)

type Owner = { org_id: string; mode: Mode }
const logsOf = ({ org_id, mode }: Owner, window: Window, filters: LogFilters = {}) => {
  const matches = createMatcher(filters)
  return logs.filter(
    (log) => log.org_id === org_id && log.mode === mode && within(log, window) && matches(log),
  )
}
const isError = ({ level }: EdgeLog) => ERROR_LEVELS.includes(level)
const distinct = <T>(values: readonly T[]) => new Set(values).size

describe.each(WINDOWS)('logs %s', (_name, window) => {
  it('are counted as the rows say, by level, device and type of error', async () => {
    for (const owner of owners.slice(0, 4)) {
      const rows = logsOf(owner, window)
      const levels = await countLevels(clickhouse, owner, window)
      expect(Object.fromEntries(levels.map(({ level, logs: count }) => [level, count]))).toEqual(
        Object.fromEntries(
          LEVELS.map((level) => [level, rows.filter((row) => row.level === level).length]).filter(
            ([, count]) => count !== 0,
          ),
        ),
      )
      const errors = rows.filter(isError)
      expect(await countDevicesWithErrors(clickhouse, owner, window)).toBe(
        distinct(errors.map(({ device_id }) => device_id)),
      )
      expect(await countErrorTypes(clickhouse, owner, window)).toBe(
        distinct(errors.map(({ error_type }) => error_type)),
      )
    }
  })

  it('are grouped by their error as the rows say', async () => {
    for (const owner of owners.slice(0, 3)) {
      const errors = logsOf(owner, window).filter(isError)
      const groups = await readErrorGroups(clickhouse, owner, { window, skip: 0, limit: 100 })
      const expected = new Map<string, EdgeLog[]>()
      for (const log of errors) {
        const known = expected.get(log.error_fingerprint) ?? []
        expected.set(log.error_fingerprint, [...known, log])
      }
      expect(groups.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
        [...expected.keys()].toSorted(),
      )
      expect(groups.map(({ count }) => count)).toEqual(
        groups.map(({ count }) => count).toSorted((a, b) => b - a),
      )
      for (const { fingerprint, message, error_type, ...group } of groups) {
        const of = expected.get(fingerprint) ?? []
        const times = of.map(({ timestamp_ms }) => timestamp_ms)
        expect(group).toEqual({
          count: of.length,
          affected_devices: distinct(of.map(({ device_id }) => device_id)),
          first_ms: Math.min(...times),
          last_ms: Math.max(...times),
          environments: [...new Set(of.map(({ environment }) => environment))]
            .filter((environment) => environment !== '')
            .toSorted(),
        })
        const newest = of.filter(({ timestamp_ms }) => timestamp_ms === Math.max(...times))
        expect(newest.map((log) => [log.message, log.error_type])).toContainEqual([
          message,
          error_type,
        ])
      }
    }
  })

  it('are counted by hour and day as the rows say', async () => {
    const owner = owners[1] as Owner
    for (const bucketMs of [HOUR_MS, DAY_MS]) {
      for (const filters of [{}, { category: 'payment' }, { q: 'timeout' }] as LogFilters[]) {
        const counts = await countBuckets(clickhouse, owner, { window, filters, bucketMs })
        const expected: Record<string, number> = {}
        for (const { timestamp_ms, level } of logsOf(owner, window, filters)) {
          const name = `${Math.floor(timestamp_ms / bucketMs) * bucketMs} ${level}`
          expected[name] = (expected[name] ?? 0) + 1
        }
        expect(
          Object.fromEntries(
            counts.map(({ bucket_ms, level, logs: count }) => [`${bucket_ms} ${level}`, count]),
          ),
        ).toEqual(expected)
      }
    }
  })

  const FILTERS: LogFilters[] = [
    {},
    { levels: ['error', 'fatal'] },
    { levels: ['info'], category: 'payment', environment: 'staging' },
    { device_id: 'till-3' },
    { device_id: 'till-3', levels: ['fatal'], category: 'network' },
    { error_fingerprint: 'aa'.repeat(16) },
    { error_fingerprint: 'bb'.repeat(16), levels: ['fatal'] },
    { q: 'TIMEOUT zürich' },
    { q: '"connection refused"' },
    { q: '日本語', levels: ['warn', 'debug'] },
    { category: 'no such' },
  ]

  it('are paged from the newest to the oldest, each once, with right totals', async () => {
    const owner = owners[2] as Owner
    for (const filters of FILTERS) {
      const rows = logsOf(owner, window, filters)
      const limit = Math.max(7, Math.ceil(rows.length / 2))
      const read: string[] = []
      const times: number[] = []
      for (let skip = 0; skip <= rows.length + limit; skip += limit) {
        const page = await readPage(clickhouse, owner, { window, filters, skip, limit })
        expect(page.total).toBe(rows.length)
        expect(page.rows).toHaveLength(Math.max(0, Math.min(limit, rows.length - skip)))
        read.push(...page.rows.map(({ id }) => id))
        times.push(...page.rows.map(({ timestamp_ms }) => timestamp_ms))
      }
      expect(read.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
      expect(times).toEqual(times.toSorted((a, b) => b - a))
    }
  }, 60_000)
})
