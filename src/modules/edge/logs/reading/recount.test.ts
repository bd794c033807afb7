import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../../test/database.ts'
import {
  addEdgeLogs,
  type EdgeLog,
  randomEdgeLog,
  seeded,
} from '../../../../../test/support/edge-logs.ts'
import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { createMatcher, type LogFilters } from '../filters.ts'
import { ERROR_LEVELS, LEVELS } from '../level.ts'
import {
  countBuckets,
  countDevicesWithErrors,
  countErrorTypes,
  countLevels,
} from './counts.store.ts'
import { readErrorGroups } from './error-groups.store.ts'
import { readPage } from './store.ts'
import { windowOf } from './window.ts'

// The engine deletes expired logs by its own clock, so the logs must be recent.
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
  ['received in the last days', windowOf({}, NOW, 5) as Window],
  ['from a start on', { from_ms: timeBefore(9 * DAY_MS) }],
  [
    'from the start of an hour to the end of one',
    { from_ms: onTheHour(BASE) - 5 * HOUR_MS, until_ms: onTheHour(BASE) - 1 },
  ],
  [
    'from the start of an hour to the start of another',
    { from_ms: onTheHour(BASE) - 5 * HOUR_MS, until_ms: onTheHour(BASE) },
  ],
  ['between two times', { from_ms: timeBefore(9 * DAY_MS) - 9 * DAY_MS, until_ms: BASE }],
  ['within one hour', { from_ms: onTheHour(BASE) + 60_000, until_ms: onTheHour(BASE) + 2_000_000 }],
  ['in one millisecond', { from_ms: onTheHour(BASE), until_ms: onTheHour(BASE) }],
  ['around 1970', { from_ms: -1_900_000, until_ms: 1_900_000 }],
  ['before 1970', { from_ms: Date.parse('0001-01-01T00:00:00Z'), until_ms: -1 }],
  [
    'in another century',
    { from_ms: Date.parse('2099-01-01T00:00:00Z'), until_ms: Date.parse('2099-12-31T00:00:00Z') },
  ],
  [
    'of all times',
    { from_ms: Date.parse('0001-01-01T00:00:00Z'), until_ms: Date.parse('2100-01-01T00:00:00Z') },
  ],
]

/** Those that a roll-up has the columns of, and those that none has. */
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

const within = (log: EdgeLog, { received_since, from_ms, until_ms }: Window): boolean =>
  (received_since === undefined ||
    new Date(log.received_at_ms).toISOString().slice(0, 10) >= received_since) &&
  (from_ms === undefined || log.timestamp_ms >= from_ms) &&
  (until_ms === undefined || log.timestamp_ms <= until_ms)

const logsOf = ({ org_id, mode }: Owner, window: Window, filters: LogFilters = {}) => {
  const matches = createMatcher(filters)
  return logs.filter(
    (log) => log.org_id === org_id && log.mode === mode && within(log, window) && matches(log),
  )
}
/**
 * All logs of a window, and a fourth of the other filters, so that each filter meets windows with and
 * without logs. All pairs would take four times as long.
 */
const filtersFor = (windowIndex: number): LogFilters[] =>
  FILTERS.filter((_, index) => index === 0 || index % 4 === windowIndex % 4)
const isError = ({ level }: EdgeLog) => ERROR_LEVELS.includes(level)
const distinct = <T>(values: readonly T[]) => new Set(values).size

const CASES = WINDOWS.map(([name, window], index) => ({
  name,
  window,
  filtered: filtersFor(index),
}))

describe.each(CASES)('logs $name', ({ window, filtered }) => {
  it('are counted correctly by level, device and error type', async () => {
    for (const [index, filters] of filtered.entries()) {
      const owner = owners[index % owners.length] as Owner
      const rows = logsOf(owner, window, filters)
      const levels = await countLevels(clickhouse, owner, window, filters)
      expect(Object.fromEntries(levels.map(({ level, logs: count }) => [level, count]))).toEqual(
        Object.fromEntries(
          LEVELS.map((level) => [level, rows.filter((row) => row.level === level).length]).filter(
            ([, count]) => count !== 0,
          ),
        ),
      )
      const errors = rows.filter(isError)
      expect(await countDevicesWithErrors(clickhouse, owner, window, filters)).toBe(
        distinct(errors.map(({ device_id }) => device_id)),
      )
      expect(await countErrorTypes(clickhouse, owner, window, filters)).toBe(
        distinct(errors.map(({ error_type }) => error_type)),
      )
    }
  })

  it('are grouped correctly by their error', async () => {
    for (const [index, filters] of filtered.entries()) {
      const owner = owners[index % owners.length] as Owner
      const errors = logsOf(owner, window, filters).filter(isError)
      const query = { window, filters, merges: new Map<string, string>(), skip: 0, limit: 100 }
      const groups = await readErrorGroups(clickhouse, owner, query)
      const expected = new Map<string, EdgeLog[]>()
      for (const log of errors) {
        const group = expected.get(log.error_fingerprint) ?? []
        expected.set(log.error_fingerprint, [...group, log])
      }
      expect(groups.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
        [...expected.keys()].toSorted(),
      )
      expect(groups.map(({ count }) => count)).toEqual(
        groups.map(({ count }) => count).toSorted((a, b) => b - a),
      )
      for (const { fingerprint, message, error_type, ...group } of groups) {
        const members = expected.get(fingerprint) ?? []
        const times = members.map(({ timestamp_ms }) => timestamp_ms)
        expect(group).toEqual({
          count: members.length,
          affected_devices: distinct(members.map(({ device_id }) => device_id)),
          first_ms: Math.min(...times),
          last_ms: Math.max(...times),
          environments: [...new Set(members.map(({ environment }) => environment))]
            .filter((environment) => environment !== '')
            .toSorted(),
        })
        const newest = members.filter(({ timestamp_ms }) => timestamp_ms === Math.max(...times))
        expect(newest.map((log) => [log.message, log.error_type])).toContainEqual([
          message,
          error_type,
        ])
      }
    }
  })

  it('are counted correctly by hour and day', async () => {
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

  it.each([
    ['newest', filtered],
    ['oldest', filtered.slice(0, 3)],
  ] as const)(
    'are paged from the %s on, each once, with correct totals',
    async (order, all) => {
      const owner = owners[2] as Owner
      for (const filters of all) {
        const rows = logsOf(owner, window, filters)
        const limit = Math.max(7, Math.ceil(rows.length / 2))
        const read: string[] = []
        const times: number[] = []
        for (let skip = 0; skip < rows.length + limit; skip += limit) {
          const page = await readPage(clickhouse, owner, { window, filters, skip, limit, order })
          expect(page.total).toBe(rows.length)
          expect(page.rows).toHaveLength(Math.max(0, Math.min(limit, rows.length - skip)))
          read.push(...page.rows.map(({ id }) => id))
          times.push(...page.rows.map(({ timestamp_ms }) => timestamp_ms))
        }
        expect(read.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
        expect(times).toEqual(times.toSorted((a, b) => (order === 'newest' ? b - a : a - b)))
      }
    },
    60_000,
  )
})
