import { describe, expect, it } from 'vitest'
import {
  judgeAnalyticsTables,
  judgeAnalyticsVersion,
  judgeClock,
  judgeCredentials,
  judgeMasterKey,
  judgeMigrations,
  judgePartitions,
  judgeRuntime,
  judgeSpace,
  judgeSpool,
  judgeVersion,
} from './doctor-findings.ts'

describe('the doctor', () => {
  it('asks for synchronized clocks when they are more than two seconds apart', () => {
    expect(judgeClock(0).ok).toBe(true)
    expect(judgeClock(2000).ok).toBe(true)
    expect(judgeClock(2001).ok).toBe(false)
    expect(judgeClock(2001).advice).toContain('NTP')
    expect(judgeClock(86_400_000).ok).toBe(false)
  })

  it('lists the tables that are not divided yet, which is no fault', () => {
    const done = { table: 'events', state: 'divided' as const, bytes: 1 }
    expect(judgePartitions([done])).toEqual({
      check: 'partitions',
      ok: true,
      detail: '1 tables are divided by time',
    })
    const left = { table: 'checks', state: 'reading' as const, bytes: 12_300_000_000 }
    expect(judgePartitions([done, left])).toMatchObject({
      ok: true,
      detail: '1 of 2 tables are divided by time; left: checks (12.3 GB, being read)',
    })
  })

  it('recommends another Node.js from the end of its security fixes, which is no fault', () => {
    const old = judgeRuntime('20.20.2', new Date('2026-11-20'))
    expect(old).toEqual({
      check: 'Node.js',
      ok: true,
      detail: 'version 20.20.2 has not received security fixes since 2026-04-30',
      advice: 'Use Node.js 24',
    })
    expect(judgeRuntime('20.20.2', new Date('2026-04-30T23:59:59Z')).advice).toBeUndefined()
    for (const version of ['22.23.3', '24.21.0', '26.0.0']) {
      expect(judgeRuntime(version, new Date('2026-11-20')).advice).toBeUndefined()
    }
  })

  it('names the file with the first credentials, which is no fault', () => {
    const finding = judgeCredentials('/data/first-start.json')
    expect(finding.ok).toBe(true)
    expect(finding.detail).toContain('/data/first-start.json')
    expect(finding.advice).toContain('delete the file')
  })

  it('asks for disk space when less than one gigabyte is free', () => {
    expect(judgeSpace('/data', 1e9).ok).toBe(true)
    expect(judgeSpace('/data', 1e9 - 1)).toMatchObject({
      ok: false,
      detail: '1.0 GB free in /data',
    })
    expect(judgeSpace('/data', 0).advice).toContain('VIGIL_DATA_DIR')
  })

  it('asks for PostgreSQL 15 or newer', () => {
    expect(judgeVersion(150_000, '15.0').ok).toBe(true)
    expect(judgeVersion(140_019, '14.19')).toMatchObject({
      ok: false,
      detail: 'version 14.19 is too old',
    })
  })

  it('asks for ClickHouse 26.4 or newer', () => {
    const judged = (version: string) =>
      judgeAnalyticsVersion('ClickHouse', { version, bytes_on_disk: 1.26e9 })
    expect(judged('26.4.1.1')).toMatchObject({
      ok: true,
      detail: 'version 26.4.1.1, 1.3 GB of tables',
    })
    expect(judged('27.1').ok).toBe(true)
    expect(judged('26.3.9.1')).toMatchObject({
      ok: false,
      detail: 'version 26.3.9.1 is too old',
      advice: 'Use ClickHouse 26.4 or newer',
    })
    expect(judged('').ok).toBe(false)
  })

  it('reports pending migrations and damaged parts of the analytics engine', () => {
    expect(judgeAnalyticsTables({ pending: [], damaged_parts: 0 }).ok).toBe(true)
    expect(judgeAnalyticsTables({ pending: ['0001_a.sql'], damaged_parts: 0 })).toMatchObject({
      ok: false,
      detail: '1 migrations pending, the first is 0001_a.sql',
    })
    expect(judgeAnalyticsTables({ pending: [], damaged_parts: 2 })).toMatchObject({
      ok: false,
      detail: '2 damaged parts are detached; their rows are missing',
    })
  })

  it('reports pending migrations and names the first', () => {
    expect(judgeMigrations([]).ok).toBe(true)
    expect(judgeMigrations(['0002_b.sql', '0003_c.sql'])).toMatchObject({
      ok: false,
      detail: '2 pending, the first is 0002_b.sql',
      advice: expect.stringContaining('npx vigil migrate') as unknown,
    })
  })

  const file = '/data/master.key'
  it.each([
    ['in a setting', { is_configured: true, is_shared: true, mode: 0 }, true],
    ['in a private file', { is_configured: false, is_shared: false, mode: 0o100600 }, true],
    ['that does not exist yet', { is_configured: false, is_shared: false, mode: undefined }, true],
    [
      'in a file that the group can read',
      { is_configured: false, is_shared: false, mode: 0o100640 },
      false,
    ],
    [
      'in a file that all can read',
      { is_configured: false, is_shared: false, mode: 0o100604 },
      false,
    ],
    [
      'in a file, for a database of several nodes',
      { is_configured: false, is_shared: true, mode: 0o100600 },
      false,
    ],
  ])('judges a master key %s', (_where, facts, ok) => {
    const finding = judgeMasterKey({ file, ...facts })
    expect(finding.ok).toBe(ok)
    expect(finding.advice === undefined).toBe(ok)
  })
})

describe('the spool', () => {
  const waiting = { entries: 12, oldest_waiting_seconds: 2, refused_rows: 0, refusal: null }

  it('is in order while it is flushed', () => {
    expect(judgeSpool([])).toMatchObject({ ok: true, detail: 'empty' })
    expect(judgeSpool([waiting])).toMatchObject({ ok: true })
  })

  it('is a fault when it is not flushed, or the engine rejects it', () => {
    expect(judgeSpool([waiting, { ...waiting, oldest_waiting_seconds: 61 }])).toMatchObject({
      ok: false,
      detail: '24 logs and RUM events wait for the analytics engine, the oldest for 61 s',
    })
    expect(judgeSpool([{ ...waiting, refused_rows: 1, refusal: 'Code: 27' }])).toMatchObject({
      ok: false,
      detail: 'the analytics engine rejects 1 blocks: Code: 27',
    })
  })
})
