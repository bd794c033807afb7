/** Lists as CSV (RFC 4180) with a header. */
import type { ListedEntry } from './schema.ts'

const COLUMNS = ['list', 'kind', 'value', 'hash', 'reason', 'expires_at', 'created_at'] as const

export type CsvRow = { line: number; cells: Readonly<Record<string, string>> }

/** Masked values cannot be read back, so their hash identifies them within an installation. */
export function entriesAsCsv(entries: readonly (ListedEntry & { hash: string })[]): string {
  const lines = entries.map((entry) => COLUMNS.map((name) => quoted(entry[name] ?? '')).join(','))
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`
}

/** A cell that a spreadsheet would read as a formula begins with an apostrophe, which import removes. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** @returns undefined when the header lacks one of the columns list, kind and value or hash */
export function readCsv(text: string): CsvRow[] | undefined {
  const [header, ...rows] = records(text.replace(/^\uFEFF/, ''))
  const names = header?.cells.map((name) => name.trim().toLowerCase()) ?? []
  const has = (name: string) => names.includes(name)
  if (!has('list') || !has('kind') || !(has('value') || has('hash'))) return undefined
  return rows
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    .map(({ line, cells }) => ({
      line,
      cells: Object.fromEntries(
        names.map((name, index) => [
          name,
          (cells[index] ?? '').trim().replace(/^'(?=[=+\-@])/, ''),
        ]),
      ),
    }))
}

type CsvRecord = { line: number; cells: string[] }

function records(text: string): CsvRecord[] {
  const all: CsvRecord[] = []
  let line = 1
  let current: CsvRecord = { line, cells: [] }
  // A quoted or a plain cell, then a comma, the end of the line or the end of the text.
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [whole, inQuotes, plain = '', end] = cell.exec(text) ?? []
    if (whole === undefined) {
      // A stray quotation mark is part of the cell.
      const rest = /[^,\r\n]*/y
      rest.lastIndex = at
      const raw = rest.exec(text)?.[0] ?? ''
      current.cells.push(raw)
      cell.lastIndex = at + raw.length + 1
      if (text[at + raw.length] === ',') continue
    } else {
      current.cells.push(inQuotes?.replaceAll('""', '"') ?? plain)
      line += whole.match(/\n/g)?.length ?? 0
      if (end === ',') continue
    }
    all.push(current)
    current = { line, cells: [] }
  }
  if (current.cells.length > 0) all.push(current)
  return all
}
