/**
 * Splits the text of a log query into tokens. It never fails: everything that is not part of the
 * language consists of words, as in a message that someone pastes.
 */
import { fieldCondition, fieldOf, textCondition, unknownFieldNote } from './term.ts'
import type { Condition, Note, Span, Term } from './tree.ts'

export type Token = Span &
  ({ kind: 'open' | 'close' | 'and' | 'or' | 'not' } | { kind: 'term'; term: Term })

type Lexed = { tokens: Token[]; notes: Note[] }

const OPERATORS: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
])
const SPACES = /\s+/y
/** `--verbose` and `->` are pasted text. */
const MINUS = /-(?=[\p{L}\p{N}"(*])/uy
const QUOTED = /"([^"]*)("?)/y

export function lex(q: string): Lexed {
  const tokens: Token[] = []
  const notes: Note[] = []
  const openAt: number[] = []
  /** Operators, fields and groups begin after a space or another operator only. */
  let isStart = true
  let at = 0

  const add = (condition: Condition | undefined, span: Span) => {
    if (condition) tokens.push({ kind: 'term', term: { ...condition, ...span }, ...span })
    // A minus belongs to its term, even if that has no word.
    else if (tokens.at(-1)?.kind === 'not' && tokens.at(-1)?.end === span.start) tokens.pop()
  }
  const mark = (kind: 'open' | 'close' | 'and' | 'or' | 'not', end: number) => {
    tokens.push({ kind, start: at, end })
    isStart = kind !== 'close'
    at = end
  }
  const addQuoted = (start: number) => {
    const [whole = '"', text = '', closing] = matchAt(QUOTED, q, at) ?? []
    at += whole.length
    if (closing === '') notes.push({ start, end: at, text: UNCLOSED_QUOTE })
    return text
  }
  const addChunk = () => {
    const start = at
    const end = endOfChunk(q, at, openAt.length > 0)
    const chunk = q.slice(start, end)
    const operator = isStart && q[end] !== '"' ? OPERATORS.get(chunk) : undefined
    if (operator) return mark(operator, end)
    const field = isStart ? fieldOf(chunk) : undefined
    at = end
    if (field && (field.value !== '' || q[end] === '"')) {
      const isQuoted = field.value === ''
      const value = isQuoted ? addQuoted(start) : field.value
      const read = fieldCondition(field.name, value, isQuoted)
      if (!('problem' in read)) return add(read, { start, end: at })
      notes.push({ start, end: at, text: `${read.problem}, so this was read as words` })
      return add(textCondition(q.slice(start, at), false), { start, end: at })
    }
    const note = isStart && !field ? unknownFieldNote(chunk) : undefined
    if (note !== undefined) notes.push({ start, end, text: note })
    add(textCondition(chunk, false), { start, end })
  }

  while (at < q.length) {
    const spaces = matchAt(SPACES, q, at)
    if (spaces) {
      at += spaces[0].length
      isStart = true
    } else if (q[at] === '(' && isStart) {
      openAt.push(at)
      mark('open', at + 1)
    } else if (q[at] === ')' && openAt.length > 0) {
      openAt.pop()
      mark('close', at + 1)
    } else if (isStart && matchAt(MINUS, q, at)) mark('not', at + 1)
    else {
      const start = at
      if (q[at] === '"') add(textCondition(addQuoted(start), true), { start, end: at })
      else addChunk()
      isStart = false
    }
  }
  for (const start of openAt) notes.push({ start, end: start + 1, text: UNCLOSED_PARENTHESIS })
  return { tokens, notes }
}

const UNCLOSED_QUOTE = 'The quote is not closed, so it ends with the query'
const UNCLOSED_PARENTHESIS = 'The parenthesis is not closed, so it ends with the query'

/** A chunk ends before a space or a quote, or before a parenthesis that closes a group. */
function endOfChunk(q: string, start: number, isInGroup: boolean): number {
  let depth = 0
  let at = start
  for (; at < q.length; at += 1) {
    const char = q[at] as string
    if (char === '"' || /\s/.test(char)) break
    if (char === '(') depth += 1
    if (char === ')') {
      if (depth === 0 && isInGroup) break
      depth = Math.max(0, depth - 1)
    }
  }
  return at
}

function matchAt(sticky: RegExp, q: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(q)
}
