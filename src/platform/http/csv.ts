/**
 * Streams tables as CSV (RFC 4180) page by page, in constant memory. A table that could not be read
 * to its end never looks complete to the client.
 */
import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { responses } from './envelope.ts'

export type CsvCell = string | number | boolean | Date | null

export type CsvColumn<Row> = { name: string; cell: (row: Row) => CsvCell }

export type CsvTable<Row> = {
  /** File name without date and extension. */
  name: string
  columns: readonly CsvColumn<Row>[]
  /** Each page is read once the client has received the previous one. */
  pages: AsyncIterable<readonly Row[]>
}

export type CsvPace = {
  /** A client that reads nothing for this long is cut off. Must exceed the time to read one page. */
  stalled_ms: number
  /** The server waits `budget_ms` in total for a client that is slower than this. */
  min_bytes_per_minute: number
  budget_ms: number
}

const PACE: CsvPace = { stalled_ms: 60_000, min_bytes_per_minute: 65_536, budget_ms: 180_000 }
/** Size of one write. */
const PIECE_CHARS = 65_536
const TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * An error before the first page is thrown and answered like any failure; after that, an error cuts
 * the connection.
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  { name, columns, pages }: CsvTable<Row>,
  { now, ...overrides }: { now: Date } & Partial<CsvPace>,
): Promise<FastifyReply> {
  const pace = { ...PACE, ...overrides }
  const pieces = csvPieces(columns, pages)
  const first = await pieces.next()
  const { raw } = reply
  const cutOff = () => raw.destroy()
  // Without a timeout, the server would wait for a stalled client until the process ends.
  raw.setTimeout(pace.stalled_ms, cutOff)
  const budget = createTimeBudget(pace, cutOff)
  finished(raw, budget.end)
  return await reply
    .header('content-type', TYPE)
    .header('content-disposition', `attachment; filename="${name}-${dayOf(now)}.csv"`)
    .send(Readable.from(withTimeBudget(first, pieces, budget), { objectMode: false }))
}

/** Response schemas of a route that answers with `sendCsv`. @param example first lines of a file */
export function csvResponses(description: string, example: string) {
  const { 200: _envelope, ...errors } = responses(Type.Object({}), description)
  const schema = Type.String({ examples: [example] })
  return { 200: { description, content: { 'text/csv': { schema } } }, ...errors }
}

/** One record, with its line break. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  `${cells.length === 1 && textOf(cells[0] ?? null) === '' ? '""' : cells.map(quoted).join(',')}\r\n`

async function* csvPieces<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<Buffer, void> {
  const header = csvLine(columns.map(({ name }) => name))
  const source = pages[Symbol.asyncIterator]()
  try {
    let pieces = await nextPieces(columns, source, header)
    if (!pieces) yield Buffer.from(header)
    while (pieces) {
      for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece
      pieces = await nextPieces(columns, source)
    }
  } finally {
    await source.return?.()
  }
}

/** A separate function, so that its rows can be collected while the server waits for the client. */
async function nextPieces<Row>(
  columns: readonly CsvColumn<Row>[],
  source: AsyncIterator<readonly Row[]>,
  header = '',
): Promise<Buffer[] | undefined> {
  const page = await source.next()
  if (page.done === true) return undefined
  const pieces: Buffer[] = []
  let text = header
  for (const row of page.value) {
    text += csvLine(columns.map(({ cell }) => cell(row)))
    if (text.length < PIECE_CHARS) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  if (text !== '') pieces.push(Buffer.from(text))
  return pieces
}

type TimeBudget = { start: (bytes: number) => void; stop: () => void; end: () => void }

/**
 * A client earns time by the bytes it reads and spends it while the server waits for it; the time
 * that the table takes is not counted. A fast client cannot save more than the initial time.
 */
function createTimeBudget(
  { min_bytes_per_minute, budget_ms }: CsvPace,
  giveUp: () => void,
): TimeBudget {
  let left_ms = budget_ms
  let since = performance.now()
  let earned_ms = 0
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  return {
    start: (bytes) => {
      if (hasEnded) return
      since = performance.now()
      earned_ms = (bytes * 60_000) / min_bytes_per_minute
      timer = setTimeout(giveUp, left_ms).unref()
    },
    stop: () => {
      clearTimeout(timer)
      left_ms = Math.min(budget_ms, left_ms - (performance.now() - since) + earned_ms)
    },
    end: () => {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}

/** A separate generator, so that a client that disconnects ends the other one as well. */
async function* withTimeBudget(
  first: IteratorResult<Buffer, void>,
  others: AsyncGenerator<Buffer, void>,
  budget: TimeBudget,
): AsyncGenerator<Buffer, void> {
  try {
    for (let next = first; next.done !== true; next = await others.next()) {
      budget.start(next.value.length)
      yield next.value
      budget.stop()
    }
    // Data may still be in flight until the response ends.
    budget.start(0)
  } finally {
    await others.return()
  }
}

/**
 * Spreadsheets treat a text with one of these first characters as a formula, which can start programs
 * and send data to others (OWASP, "CSV Injection"; the full-width forms apply in East Asian locales).
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
/**
 * With a semicolon or another separator, chosen by locale or user, a cell can also start after these
 * characters, and quotes inside a line do not prevent it.
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
