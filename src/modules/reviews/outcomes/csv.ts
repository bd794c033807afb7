/** Reads outcomes from the text of a CSV file with a header. */
import { type Info, parse } from 'csv-parse/sync'
import { AppError, invalidRequest } from '../../../platform/http/errors.ts'
import type { Validators } from '../../../platform/http/validation.ts'
import { refusalOf } from '../../../platform/imported.ts'
import { reasonOf } from '../../../platform/operator-error.ts'
import { type OutcomeReport, outcomeSchema, type RefusedLine } from './schema.ts'

type ReadCsv = {
  reports: { line: number; report: OutcomeReport }[]
  refused: RefusedLine[]
}

const REQUIRED = ['external_order_id', 'kind', 'date'] as const
const LINES_MAX = 2000

/** @returns a function that throws AppError 400 naming `csv` when the text is no such file */
export function createCsvReader({ compiler }: Validators): (text: string) => ReadCsv {
  // Cells are texts, as in a query, and an empty one is absent.
  const validate = compiler({
    schema: outcomeSchema,
    method: 'POST',
    url: '',
    httpPart: 'querystring',
  })
  return (text) => {
    const read: ReadCsv = { reports: [], refused: [] }
    for (const { record, info } of rowsOf(text)) {
      const result = validate(record) as { value: OutcomeReport } | { error: AppError }
      const line = info.lines
      if ('value' in result) read.reports.push({ line, report: result.value })
      else read.refused.push({ line, ...refusalOf(result.error) })
    }
    return read
  }
}

type Row = { record: Record<string, string>; info: Info }

function rowsOf(text: string): Row[] {
  let rows: Row[]
  try {
    rows = parse(text, {
      bom: true,
      columns: columnsOf,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Row[]
  } catch (error) {
    if (error instanceof AppError) throw error
    throw invalidRequest('csv', `csv cannot be read: ${reasonOf(error)}`)
  }
  if (rows.length <= LINES_MAX) return rows
  const advice = 'the command vigil import outcomes takes files of any size'
  throw invalidRequest('csv', `csv must not have more than ${LINES_MAX} outcomes; ${advice}`)
}

function columnsOf(header: readonly string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase())
  if (REQUIRED.every((name) => names.includes(name))) return names
  throw invalidRequest('csv', `csv must begin with a line that names ${REQUIRED.join(', ')}`)
}
