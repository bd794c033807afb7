import { describe, expect, it } from 'vitest'
import { latencyAim, printReport, type Report, ratioAim } from './report.ts'
import { combine, type Row, ratioOf, type Sample, shares } from './rounds.ts'

const sample = (per_second: number): Sample => ({
  per_second,
  p50_ms: 5,
  p99_ms: 9,
  cpu_us: { load: 50, service: per_second },
  others_percent: 4,
})
const SAMPLES = [sample(100), sample(400), sample(300)]
const LIMITS = [sample(200), sample(500), sample(1000)]
const ROW: Row = {
  scenario: '32 clients',
  subject: 'POST /check',
  ...combine(SAMPLES),
  ratio: ratioOf(SAMPLES, LIMITS, 'INSERT'),
}
const LIMIT: Row = { scenario: '32 clients', subject: 'INSERT', per_second: 500, cpu_us: {} }
const REPORT: Report = {
  benchmark: 'check',
  machine: 'two cores',
  rounds: 3,
  unit: 'checks',
  rows: [ROW, LIMIT],
  notes: ['memory: 146 MB'],
  aims: ratioAim(ROW, 0.5),
}

describe('a row of the report', () => {
  it('has the median of every figure, and of the ratios to the limit of the same round', () => {
    expect(ROW).toMatchObject({ per_second: 300, p99_ms: 9, cpu_us: { load: 50, service: 300 } })
    expect(ROW.ratio).toEqual({ limit: 'INSERT', median: 0.5, least: 0.3, most: 0.8 })
  })

  it('counts processor time per unit, and that of other programs as a share of the machine', () => {
    const time = (own: number, busy: number, total: number) => ({
      processes: new Map([[1, own]]),
      busy,
      total,
    })
    const parties = { load: 1 }
    expect(shares(time(1, 10, 20), time(3, 14, 30), { parties, units: 2000 })).toEqual({
      cpu_us: { load: 1000 },
      others_percent: 20,
    })
  })
})

describe('the printed report', () => {
  const lines = printReport(REPORT).split('\n')
  const cells = (start: string) =>
    lines
      .find((line) => line.trim().startsWith(start))
      ?.trim()
      .split(/ {2,}/)

  it('shows the columns that a row has figures for', () => {
    expect(cells('subject')?.slice(-3)).toEqual(['µs load', 'µs service', 'others %'])
    expect(cells('POST')).toEqual('POST /check,300,5.00,9.00,0.50,0.30,0.80,50,300,4'.split(','))
    expect(cells('INSERT')).toEqual(['INSERT', '500'])
  })

  it('shows which aims are met', () => {
    expect(lines).toContain('met     POST /check to INSERT, 32 clients: 0.50, aim 0.5 or more')
    expect(ratioAim(ROW, 0.51)[0]?.is_met).toBe(false)
    expect(ratioAim(LIMIT, 0.5)).toEqual([])
    expect([latencyAim(ROW, 9).is_met, latencyAim(ROW, 9.1).is_met]).toEqual([false, true])
  })
})
