/** Rows as CSV (RFC 4180) with all of their members, also those that the table does not show. */

import { saveFile } from '../save-file.ts'

type Row = object

/** @param what in the plural: "orders" */
export const saveCsv = (rows: readonly Row[], what: string): void =>
  saveFile(new Blob([csvOf(rows)], { type: 'text/csv' }), `${what.replaceAll(' ', '-')}.csv`)

export function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) =>
    names.map((name) => fieldOf((row as Record<string, unknown>)[name])).join(','),
  )
  return [names.map(fieldOf).join(','), ...lines, ''].join('\r\n')
}

function fieldOf(value: unknown): string {
  const text = textOf(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return withoutFormula(value)
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return withoutFormula(value.join(' '))
  }
  return JSON.stringify(value) ?? ''
}

/** Spreadsheets execute texts that begin like a formula. */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
