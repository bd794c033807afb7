/** Reads the records of a CSV or NDJSON file as a stream, so the size of the file does not matter. */
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CsvError, type Info, parse } from 'csv-parse'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError } from '../io.ts'
import type { Cells, Mapping } from './mapping.ts'

export type FileFormat = 'csv' | 'ndjson'

/** `fault` says why the line is no record. */
export type FileRecord = { line: number } & ({ record: unknown } | { fault: string; text: string })

/** Longer lines are a file of another kind. */
const LINE_MAX_BYTES = 4_000_000

/** @param file `-` for standard input */
export const openFile = (folder: string, file: string): Readable =>
  file === '-' ? process.stdin : createReadStream(resolve(folder, file))

/** @throws CommandError when the file cannot be read, or when its header lacks a column */
export async function* readRecords(
  input: Readable,
  { format, mapping, file }: { format: FileFormat; mapping: Mapping; file: string },
): AsyncGenerator<FileRecord> {
  try {
    yield* format === 'csv' ? csvRecords(input, mapping) : jsonRecords(input)
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`Cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}

async function* jsonRecords(input: Readable): AsyncGenerator<FileRecord> {
  let line = 0
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  // The interface does not report errors of the stream that it reads.
  const failed = new Promise<never>((_resolve, reject) => input.once('error', reject))
  failed.catch(() => undefined)
  const iterator = lines[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([iterator.next(), failed])
    if (next.done === true) return
    line += 1
    const text = line === 1 ? next.value.replace(/^\uFEFF/, '') : next.value
    if (text.trim() === '') continue
    yield { line, ...parsed(text) }
  }
}

function parsed(text: string): { record: unknown } | { fault: string; text: string } {
  if (text.length > LINE_MAX_BYTES) return { fault: 'The line is too long', text: '' }
  try {
    return { record: JSON.parse(text) as unknown }
  } catch {
    return { fault: 'The line is not JSON', text }
  }
}

type CsvRecord = { record: Cells; info: Info; raw: string }

async function* csvRecords(input: Readable, mapping: Mapping): AsyncGenerator<FileRecord> {
  const skipped: FileRecord[] = []
  const parser = parse({
    bom: true,
    delimiter: mapping.separator,
    columns: (header: string[]) => columnsOf(header, mapping),
    info: true,
    max_record_size: LINE_MAX_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    trim: true,
    on_skip: (error: CsvError | undefined, text: string | undefined) => {
      skipped.push({ line: parser.info.lines, fault: reasonOf(error), text: text ?? '' })
      return undefined
    },
  })
  const done = pipeline(input, parser)
  done.catch(() => undefined)
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    yield* skipped.splice(0)
    yield { line: info.lines, record: mapping.apply(record) }
  }
  await done
  yield* skipped.splice(0)
}

function columnsOf(header: readonly string[], { columns }: Mapping): string[] {
  const names = header.map((name) => name.trim())
  const missing = columns?.find((column) => !names.includes(column))
  if (missing !== undefined) {
    throw new CommandError(
      `The file has no column ${missing}. It has ${names.join(', ')}; the mapping can name another separator`,
    )
  }
  return names
}
