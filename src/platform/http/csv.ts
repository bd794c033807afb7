/**
 * Tables as CSV (RFC 4180), streamed page by page: the memory it takes does not grow with the table,
 * and a table that could not be read to its end never looks like a whole one.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { responses } from './envelope.ts'

export type CsvCell = string | number | boolean | Date | null

export type CsvColumn<Row> = { name: string; cell: (row: Row) => CsvCell }

export type CsvTable<Row> = {
  /** Of the file, without its ending. */
  name: string
  columns: readonly CsvColumn<Row>[]
  /** Are read when their reader has taken those before. */
  pages: AsyncIterable<readonly Row[]>
}

/** A reader that takes nothing for so long is gone. Longer than a page may take to be read. */
const STALLED_MS = 60_000
const TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * What goes wrong before the first page was read is thrown, and answered as any failure; after that
 * the connection is cut off.
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  { name, columns, pages }: CsvTable<Row>,
  { now, stalled_ms = STALLED_MS }: { now: Date; stalled_ms?: number },
): Promise<FastifyReply> {
  const chunks = csvChunks(columns, pages)
  const first = await chunks.next()
  const { raw } = reply
  // A stopped reader would be waited for until the process ends.
  raw.setTimeout(stalled_ms, () => raw.destroy())
  return await reply
    .header('content-type', TYPE)
    .header('content-disposition', `attachment; filename="${name}-${dayOf(now)}.csv"`)
    .send(Readable.from(withFirst(first, chunks), { objectMode: false }))
}

/** Response schemas of a route that answers `sendCsv`. @param example its first lines */
export function csvResponses(description: string, example: string) {
  const { 200: _envelope, ...errors } = responses(Type.Object({}), description)
  const schema = Type.String({ examples: [example] })
  return { 200: { description, content: { 'text/csv': { schema } } }, ...errors }
}

/** One record, with its line break. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  `${cells.length === 1 && textOf(cells[0] ?? null) === '' ? '""' : cells.map(quoted).join(',')}\r\n`

async function* csvChunks<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void> {
  let text = csvLine(columns.map(({ name }) => name))
  for await (const rows of pages) {
    for (const row of rows) text += csvLine(columns.map(({ cell }) => cell(row)))
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** A generator of its own, so that a reader who leaves ends the other one too. */
async function* withFirst(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

/**
 * Spreadsheets take a text that begins so for a formula, which can call programs and send data away
 * (OWASP, "CSV Injection"; the wide forms are theirs in East Asian locales).
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
/**
 * Where lists are separated by semicolons, or by what the reader chose, a cell is not where it is here:
 * these begin one as well, and quotes inside of a line do not keep it together.
 */
const FORMULA_WITHIN = /(?<=[;\t\r\n])(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g
const QUOTED = /[",\r\n]|^\s|\s$/

function quoted(cell: CsvCell): string {
  const text = textOf(cell)
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return harmless(cell)
  return cell instanceof Date ? cell.toISOString() : String(cell)
}

function harmless(text: string): string {
  const within = text.replaceAll(FORMULA_WITHIN, "'")
  return FORMULA.test(within) ? `'${within}` : within
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
