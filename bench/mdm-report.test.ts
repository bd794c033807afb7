import { describe, expect, it } from 'vitest'
import {
  aimLines,
  type EnrolmentRound,
  type MdmReport,
  printMdm,
  type ReportRun,
} from './mdm-report.ts'

const round = (perSecond: number): EnrolmentRound => ({
  devices: 20_000,
  notifications: 40_000,
  per_second: perSecond,
  cpu_us: { node: 300, postgres: 400 },
  inserts_per_second: 2000,
})
const list = (filter: string, p95: number) => ({
  filter,
  total: 10,
  p50_ms: 1,
  p95_ms: p95,
  max_ms: 90,
})
const run = (peak: number): ReportRun => ({
  rows: 294_000,
  megabytes: 90,
  seconds: 5,
  before_mb: 100,
  peak_mb: peak,
})

const GOOD: MdmReport = {
  machine: 'two cores',
  seconds: 2,
  enrolment: [round(1000), round(400), round(1200)],
  devices: 300_000,
  lists: [list('all', 20), list('lost', 49)],
  reports: [run(150), run(160), run(199)],
}
const verdicts = (report: MdmReport) => aimLines(report).map((line) => line.trim().split(' ')[0])

describe('the report', () => {
  it('judges the median rate, the slowest filter, and what later reports take beyond the first', () => {
    expect(verdicts(GOOD)).toEqual(['met', 'met', 'met'])
    const bad = {
      ...GOOD,
      enrolment: [round(400), round(499), round(900)],
      lists: [list('all', 20), list('lost', 50)],
      reports: [run(150), run(201)],
    }
    expect(verdicts(bad)).toEqual(['MISSED', 'MISSED', 'MISSED'])
  })

  it('says nothing about growth after a single report', () => {
    expect(verdicts({ ...GOOD, reports: [run(150)] })).toEqual(['met', 'met'])
  })

  it('holds every rate against the inserts of its round', () => {
    expect(printMdm(GOOD)).toContain('ratio (median, least, most): 0.50 0.20 0.60')
  })
})
