/** The report of every benchmark and how it is printed. */
import { PARTIES, type Row } from './rounds.ts'
import type { Metrics } from './service.ts'

export type Findings = {
  /** The unit of work that rates and processor time refer to. */
  unit: string
  rows: Row[]
  notes: string[]
  aims: Aim[]
  /** Why the benchmark ends with status 1 after its report. */
  failure?: string
}

export type Aim = { is_met: boolean; text: string }

export type Report = Findings & {
  benchmark: string
  machine: string
  rounds: number
}

type Column = { head: string; cell: (row: Row) => string | undefined }

const whole = (value: number | undefined): string | undefined => value?.toFixed(0)
export const fine = (value: number): string => value.toFixed(2)
/** Microseconds per log entry are a few, those per order hundreds. */
const significant = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : value.toFixed(value < 10 ? 2 : 0)

const COLUMNS: Column[] = [
  { head: 'subject', cell: ({ subject }) => subject },
  { head: 'per s', cell: ({ per_second }) => whole(per_second) },
  { head: 'p50 ms', cell: ({ p50_ms }) => significant(p50_ms) },
  { head: 'p99 ms', cell: ({ p99_ms }) => significant(p99_ms) },
  { head: 'ratio', cell: ({ ratio }) => ratio && fine(ratio.median) },
  { head: 'least', cell: ({ ratio }) => ratio && fine(ratio.least) },
  { head: 'most', cell: ({ ratio }) => ratio && fine(ratio.most) },
  ...PARTIES.map((party) => ({
    head: `µs ${party}`,
    cell: ({ cpu_us }: Row) => significant(cpu_us[party]),
  })),
  { head: 'loop ms', cell: ({ loop_delay_ms }) => significant(loop_delay_ms) },
  { head: 'MB', cell: ({ resident_mb }) => whole(resident_mb) },
  { head: 'others %', cell: ({ others_percent }) => whole(others_percent) },
]

export function printReport(report: Report): string {
  const { benchmark, machine, rounds, unit, rows, notes, aims } = report
  const columns = COLUMNS.filter(({ cell }) => rows.some((row) => cell(row) !== undefined))
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))]
  const lines = table([
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => cell(row) ?? '')),
  ])
  const [head = '', ...body] = lines
  return [
    `${benchmark}: ${unit}, medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    machine,
    '',
    head,
    ...scenarios.flatMap((scenario) => [
      scenario,
      ...body.filter((_, index) => rows[index]?.scenario === scenario),
    ]),
    '',
    ...notes,
    ...aims.map(({ is_met, text }) => `${is_met ? 'met   ' : 'MISSED'}  ${text}`),
  ].join('\n')
}

/** Aligns the first column to the left, the numbers to the right. */
function table(lines: string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? `  ${cell.padEnd(width)}` : cell.padStart(width)
      })
      .join('  '),
  )
}

/** @returns nothing for the row of the limit */
export function ratioAim(row: Row, least: number): Aim[] {
  if (!row.ratio) return []
  const { median, limit } = row.ratio
  const text = `${row.subject} to ${limit}, ${row.scenario}: ${fine(median)}, aim ${least} or more`
  return [{ is_met: median >= least, text }]
}

export function latencyAim(row: Row, belowMs: number): Aim {
  const { scenario, subject, p99_ms = Number.NaN } = row
  const text = `${subject}, ${scenario}: p99 ${fine(p99_ms)} ms, aim below ${belowMs} ms`
  return { is_met: p99_ms < belowMs, text }
}

/** @returns the resident memory of the service at the time of these metrics */
export const megabytes = (metrics: Metrics): string =>
  (metrics('process_resident_memory_bytes') / 1_048_576).toFixed(0)
