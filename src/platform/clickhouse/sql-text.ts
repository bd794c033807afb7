/**
 * Separates the code of ClickHouse SQL from quoted texts, quoted names and comments. This is enough
 * to split a file into statements and to find parameters, without parsing SQL.
 */

export type Piece = { kind: 'code' | 'quoted' | 'comment'; text: string }

/** Splits the whole text into pieces; an unclosed quote or comment extends to the end. */
export function piecesOf(sql: string): Piece[] {
  const pieces: Piece[] = []
  let codeStart = 0
  let at = 0
  while (at < sql.length) {
    const end = endOfSpecial(sql, at)
    if (end === undefined) {
      at += 1
      continue
    }
    if (at > codeStart) pieces.push({ kind: 'code', text: sql.slice(codeStart, at) })
    pieces.push({ kind: end.kind, text: sql.slice(at, end.at) })
    at = end.at
    codeStart = at
  }
  if (at > codeStart) pieces.push({ kind: 'code', text: sql.slice(codeStart) })
  return pieces
}

/** Splits a text into its statements at semicolons, without comments. */
export function statementsOf(sql: string): string[] {
  const statements = ['']
  const append = (text: string) => statements.push(`${statements.pop() ?? ''}${text}`)
  for (const { kind, text } of piecesOf(sql)) {
    if (kind === 'comment') append(' ')
    else if (kind === 'quoted') append(text)
    else {
      const [first = '', ...others] = text.split(';')
      append(first)
      statements.push(...others)
    }
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

export const textLiteral = (value: string): string =>
  `'${value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`

export const nameLiteral = (name: string): string =>
  `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\0', '\\0')}\``

type End = { kind: 'quoted' | 'comment'; at: number }

function endOfSpecial(sql: string, at: number): End | undefined {
  const char = sql.charAt(at)
  switch (char) {
    case "'":
    case '"':
    case '`':
      return { kind: 'quoted', at: endOfQuoted(sql, at, char) }
    case '-':
      return sql[at + 1] === '-' ? lineComment(sql, at) : undefined
    case '#':
      return sql[at + 1] === ' ' || sql[at + 1] === '!' ? lineComment(sql, at) : undefined
    case '/':
      return sql[at + 1] === '*' ? { kind: 'comment', at: after(sql, '*/', at + 2) } : undefined
    case '$':
      return hereDocument(sql, at)
    default:
      return undefined
  }
}

function endOfQuoted(sql: string, start: number, quote: string): number {
  let at = start + 1
  while (at < sql.length) {
    if (sql[at] === '\\') at += 2
    else if (sql[at] !== quote) at += 1
    else if (sql[at + 1] === quote) at += 2
    else return at + 1
  }
  return sql.length
}

const lineComment = (sql: string, at: number): End => ({
  kind: 'comment',
  at: after(sql, '\n', at),
})

function hereDocument(sql: string, at: number): End | undefined {
  const close = sql.indexOf('$', at + 1)
  if (close === -1) return undefined
  const tag = sql.slice(at, close + 1)
  if (!/^\$\w*\$$/.test(tag)) return undefined
  const end = sql.indexOf(tag, close + 1)
  return end === -1 ? undefined : { kind: 'quoted', at: end + tag.length }
}

function after(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from)
  return found === -1 ? sql.length : found + mark.length
}
