import { describe, expect, it } from 'vitest'
import {
  judgeAnalyticsTables,
  judgeAnalyticsVersion,
  judgeClock,
  judgeMasterKey,
  judgeMigrations,
  judgeSpace,
  judgeSpool,
  judgeVersion,
} from './findings.ts'

describe('the doctor', () => {
  it('asks for synchronised clocks when they are more than two seconds apart', () => {
    expect(judgeClock(0).ok).toBe(true)
    expect(judgeClock(2000).ok).toBe(true)
    expect(judgeClock(2001).ok).toBe(false)
    expect(judgeClock(2001).advice).toContain('NTP')
    expect(judgeClock(86_400_000).ok).toBe(false)
  })

  it('asks for space below one gigabyte', () => {
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

  it('asks for the tables of the analytics engine, and tells what was damaged', () => {
    expect(judgeAnalyticsTables({ pending: [], damaged_parts: 0 }).ok).toBe(true)
    expect(judgeAnalyticsTables({ pending: ['0001_a.sql'], damaged_parts: 0 })).toMatchObject({
      ok: false,
      detail: '1 migrations not applied yet, from 0001_a.sql on',
    })
    expect(judgeAnalyticsTables({ pending: [], damaged_parts: 2 })).toMatchObject({
      ok: false,
      detail: '2 damaged parts were put aside; their rows are missing',
    })
  })

  it('asks for migrations that are missing, and names the first', () => {
    expect(judgeMigrations([]).ok).toBe(true)
    expect(judgeMigrations(['0002_b.sql', '0003_c.sql'])).toMatchObject({
      ok: false,
      detail: '2 not applied yet, from 0002_b.sql on',
      advice: expect.stringContaining('npx vigil migrate') as unknown,
    })
  })

  const file = '/data/master.key'
  it.each([
    ['given as a setting', { is_configured: true, is_shared: true, mode: 0 }, true],
    ['in a private file', { is_configured: false, is_shared: false, mode: 0o100600 }, true],
    ['that is not there yet', { is_configured: false, is_shared: false, mode: undefined }, true],
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

describe('what waits in the spool', () => {
  const waiting = { entries: 12, oldest_waiting_seconds: 2, refused_rows: 0, refusal: null }

  it('is in order as long as it moves', () => {
    expect(judgeSpool([])).toMatchObject({ ok: true, detail: 'no logs or events wait' })
    expect(judgeSpool([waiting])).toMatchObject({ ok: true })
  })

  it('is a fault when it stands still, or the engine refuses it', () => {
    expect(judgeSpool([waiting, { ...waiting, oldest_waiting_seconds: 61 }])).toMatchObject({
      ok: false,
      detail: '24 logs and events wait for the analytics engine, up to 61 s',
    })
    expect(judgeSpool([{ ...waiting, refused_rows: 1, refusal: 'Code: 27' }])).toMatchObject({
      ok: false,
      detail: '1 blocks are refused by the analytics engine: Code: 27',
    })
  })
})
