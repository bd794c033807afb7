/** Reads a CSV file (RFC 4180) into records by the names in its first line. */

export function readCsv(text: string): Record<string, string>[] {
  const [names, ...rows] = readRows(text.startsWith('\uFEFF') ? text.slice(1) : text)
  if (names === undefined) return []
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])))
}

function readRows(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let index = 0
  while (index < text.length) {
    const field = text.charAt(index) === '"' ? quotedAt(text, index) : plainAt(text, index)
    row.push(field.value)
    index = field.end
    if (text.charAt(index) === ',') {
      index += 1
      if (index === text.length) row.push('')
      continue
    }
    if (text.charAt(index) === '\r') index += 1
    index += 1
    rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows
}

type Field = { value: string; end: number }

function quotedAt(text: string, start: number): Field {
  let [value, from] = ['', start + 1]
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return { value: value + text.slice(from), end: text.length }
    value += text.slice(from, quote)
    if (text.charAt(quote + 1) !== '"') return { value, end: quote + 1 }
    value += '"'
    from = quote + 2
  }
}

function plainAt(text: string, start: number): Field {
  let end = start
  while (end < text.length && !',\r\n'.includes(text.charAt(end))) end += 1
  return { value: text.slice(start, end), end }
}
