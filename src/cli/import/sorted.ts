/**
 * Records in the order of their times. They wait in a temporary file; only time, line and place of each
 * are in memory, so a file of any order and millions of records can be imported.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../io.ts'

export type SortedRecord = { line: number; record: unknown }

export type SortedRecords = {
  readonly size: number
  add(line: number, record: object, atMs: number): void
  /** To be called after the last `add`. Records of one time are in the order of the file. */
  read(): Generator<SortedRecord>
  close(): void
}

const RECORDS_MAX = 50_000_000
const WRITE_BYTES = 1_000_000

export function createSortedRecords(): SortedRecords {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-import-'))
  const file = openSync(join(folder, 'records'), 'wx+', 0o600)
  const times: number[] = []
  const lines: number[] = []
  /** Where each record ends. */
  const ends: number[] = []
  let pending: string[] = []
  let pendingBytes = 0
  let end = 0
  let isSorted = true

  const flush = () => {
    writeSync(file, pending.join(''))
    pending = []
    pendingBytes = 0
  }

  const recordAt = (index: number): SortedRecord => {
    const start = index === 0 ? 0 : (ends[index - 1] ?? 0)
    const bytes = Buffer.allocUnsafe((ends[index] ?? start) - start)
    readSync(file, bytes, 0, bytes.length, start)
    return { line: lines[index] ?? 0, record: JSON.parse(bytes.toString('utf8')) as unknown }
  }

  return {
    get size() {
      return times.length
    },
    add: (line, record, atMs) => {
      if (times.length === RECORDS_MAX) {
        throw new CommandError(`A file can have ${RECORDS_MAX} records; split it by time`)
      }
      isSorted &&= atMs >= (times.at(-1) ?? atMs)
      const text = JSON.stringify(record)
      const bytes = Buffer.byteLength(text)
      pending.push(text)
      pendingBytes += bytes
      end += bytes
      times.push(atMs)
      lines.push(line)
      ends.push(end)
      if (pendingBytes >= WRITE_BYTES) flush()
    },
    read: function* read() {
      flush()
      const order = Uint32Array.from({ length: times.length }, (_, index) => index)
      if (!isSorted) order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
      for (const index of order) yield recordAt(index)
    },
    close: () => {
      closeSync(file)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
