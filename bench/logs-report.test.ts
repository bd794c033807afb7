import { describe, expect, it } from 'vitest'
import { type LogsReport, printLogs } from './logs-report.ts'

const subject = (per_second: number) => ({
  per_second,
  p50_ms: 5,
  p99_ms: 9,
  cpu_us: { client: 500, service: 1000, postgres: 250 },
})
const draining = (per_second: number) => ({ per_second, cpu_us: 1.5, blocks: 6 })
const query = (rows: number, p50_ms: number) => ({
  query: 'first page',
  rows,
  p50_ms,
  p95_ms: 2 * p50_ms,
  max_ms: 3 * p50_ms,
})

const REPORT: LogsReport = {
  machine: 'a machine',
  seconds: 2,
  ingest: [
    {
      kind: 'logs_500',
      entries: 500,
      clients: 8,
      http: subject(120),
      inserts: subject(200),
      ratio: 0.6,
      ratio_each: [0.5, 0.6, 0.7],
      taken_elsewhere: 0.04,
    },
    {
      kind: 'logs_500_gzip',
      entries: 500,
      clients: 8,
      http: subject(50),
      inserts: subject(200),
      ratio: 0.25,
      ratio_each: [0.25],
      taken_elsewhere: 0,
    },
  ],
  whole: { clients: 8, http: subject(60), ratio: 0.3, behind_seconds: 0.5 },
  drain: {
    entries: 300_000,
    flusher: draining(80_000),
    raw: draining(100_000),
    ratio: 0.8,
    ratio_each: [0.8],
  },
  delay: {
    p50_ms: 600,
    p99_ms: 2000,
    max_ms: 2100,
    asked_per_second: 15_000,
    per_second: 14_900,
    probes: 400,
    event_loop_delay_p99_ms: 3,
  },
  queries: [query(1e6, 20), query(20e6, 200)],
  memory: [{ when: 'after readings', service_mb: 200, engine_mb: 500 }],
}

const line = (text: string, start: string): string =>
  text.split('\n').find((one) => one.trim().startsWith(start)) ?? ''

describe('the report about logs', () => {
  const text = printLogs(REPORT)

  it('tells entries, not batches, and what one of them costs', () => {
    const head = 'batch  clients  entries/s'
    const [rates = '', costs = ''] = text.split('\n').filter((one) => / {2}8 {2}/.test(one))
    expect(line(text, head.trim())).not.toBe('')
    expect(rates.trim().split(/\s+/)).toEqual(
      '500 8 60000 5.00 9.00 100000 5.00 9.00 0.60 0.50 0.70'.split(' '),
    )
    expect(costs.trim().split(/\s+/).slice(0, 3)).toEqual(['500', 'gzip', '8'])
    expect(text).toContain('1.00     2.00      0.50')
  })

  it('holds the aims against what was measured, and the gzip batches against none', () => {
    expect(line(text, 'met     0.60 of the raw insert with 8 clients')).not.toBe('')
    expect(line(text, 'MISSED  0.80 of the raw insert from the spool')).not.toBe('')
    expect(line(text, 'MISSED  p99 2000 ms')).not.toBe('')
    expect(line(text, 'met     p95 40 ms for first page of 1 M')).not.toBe('')
    expect(line(text, 'MISSED  p95 400 ms for first page of 20 M')).not.toBe('')
    expect(text.match(/ (?:met|MISSED) /g)).toHaveLength(5)
  })

  it('shows how readings grow', () => {
    expect(line(text, 'first page').trim().split(/ {2,}/)).toEqual([
      'first page',
      '20',
      '40',
      '60',
      '200',
      '400',
      '600',
      '10.00',
    ])
  })
})
