/**
 * Tables as CSV (RFC 4180), streamed page by page: the memory it takes does not grow with the table,
 * and a table that could not be read to its end never looks like a whole one.
 */
import { finished, Readable } from 'node:stream'
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

export type CsvPace = {
  /** A reader that takes nothing for so long is gone. Longer than a page may take to be read. */
  stalled_ms: number
  /** One that takes less is waited for as long as `patience_ms` altogether. */
  least_bytes_per_minute: number
  patience_ms: number
}

const PACE: CsvPace = { stalled_ms: 60_000, least_bytes_per_minute: 65_536, patience_ms: 180_000 }
/** What is given to the reader at once. */
const PIECE_CHARS = 65_536
const TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * What goes wrong before the first page was read is thrown, and answered as any failure; after that
 * the connection is cut off.
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  { name, columns, pages }: CsvTable<Row>,
  { now, ...given }: { now: Date } & Partial<CsvPace>,
): Promise<FastifyReply> {
  const pace = { ...PACE, ...given }
  const pieces = csvPieces(columns, pages)
  const first = await pieces.next()
  const { raw } = reply
  const cutOff = () => raw.destroy()
  // A stopped reader would be waited for until the process ends.
  raw.setTimeout(pace.stalled_ms, cutOff)
  const patience = createPatience(pace, cutOff)
  finished(raw, patience.end)
  return await reply
    .header('content-type', TYPE)
    .header('content-disposition', `attachment; filename="${name}-${dayOf(now)}.csv"`)
    .send(Readable.from(withPatience(first, pieces, patience), { objectMode: false }))
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

/** A function of its own: of its rows nothing is left when the reader is waited for. */
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

type Patience = { waitFor: (bytes: number) => void; rest: () => void; end: () => void }

/**
 * What a reader takes earns it time, and waiting for it costs time; only that: the table may be slow
 * as well. However fast it once was, a reader cannot save up more than it began with.
 */
function createPatience(
  { least_bytes_per_minute, patience_ms }: CsvPace,
  giveUp: () => void,
): Patience {
  let left_ms = patience_ms
  let since = performance.now()
  let earned_ms = 0
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  return {
    waitFor: (bytes) => {
      if (hasEnded) return
      since = performance.now()
      earned_ms = (bytes * 60_000) / least_bytes_per_minute
      timer = setTimeout(giveUp, left_ms).unref()
    },
    rest: () => {
      clearTimeout(timer)
      left_ms = Math.min(patience_ms, left_ms - (performance.now() - since) + earned_ms)
    },
    end: () => {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}

/** A generator of its own, so that a reader who leaves ends the other one too. */
async function* withPatience(
  first: IteratorResult<Buffer, void>,
  others: AsyncGenerator<Buffer, void>,
  patience: Patience,
): AsyncGenerator<Buffer, void> {
  try {
    for (let next = first; next.done !== true; next = await others.next()) {
      patience.waitFor(next.value.length)
      yield next.value
      patience.rest()
    }
    // For what still lies on the way; until the response ends.
    patience.waitFor(0)
  } finally {
    await others.return()
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
