/** The tree of a log query, from which SQL, the predicate of the live tail and the reading are compiled. */
import type { Level } from '../level.ts'

/** Place in the text of the query; `end` is the index after it. */
export type Span = { start: number; end: number }

/** A part of a word of the message, normalized. */
export type WordPart = { at: 'start' | 'end' | 'anywhere'; text: string }

/** All of it must occur in the message. */
export type Text = {
  /** Includes those of the phrases. */
  words: readonly string[]
  /** Sequences of words that must be adjacent. */
  phrases: readonly (readonly string[])[]
  parts: readonly WordPart[]
}

/** Fields of an entry that a query compares as texts, by the names of their columns. */
export const TEXT_FIELDS = [
  'device_id',
  'category',
  'environment',
  'error_type',
  'error_code',
  'error_fingerprint',
  'trace_id',
  'tags',
] as const
export type TextField = (typeof TEXT_FIELDS)[number]

/** Texts in which a part is searched, without an index. */
export const LONG_FIELDS = ['error_stack', 'data'] as const
export type LongField = (typeof LONG_FIELDS)[number]

/** A lower-case text, cut where anything may follow: `till-*` is `['till-', '']`. */
export type Glob = readonly string[]

/** A member of `data`, as it was written: `order.total` is a member of a member, or has this name. */
export type DataPath = string

export const COMPARISONS = ['>=', '<=', '>', '<'] as const
export type Comparison = (typeof COMPARISONS)[number]

export type Moments = { from_ms: number; until_ms: number }

/** A length of time before now, a day in UTC that many days before today, or a fixed time. */
export type Period = { ago_ms: number } | { days_ago: number } | Moments

export type TimeCondition = {
  kind: 'time'
  period: Period
  comparison: Comparison | undefined
  /** The period as it was written. */
  label: string
}

export type Condition =
  /** `texts` has the ways in which stored words can be normalized; one of them must match. */
  | { kind: 'text'; texts: readonly [Text, ...Text[]] }
  | { kind: 'level'; levels: readonly Level[] }
  | { kind: 'value'; field: TextField; glob: Glob }
  | { kind: 'part'; field: LongField; glob: Glob }
  | { kind: 'has'; field: TextField | LongField }
  | { kind: 'data'; path: DataPath; glob: Glob; literal: number | boolean | undefined }
  | { kind: 'data-compared'; path: DataPath; comparison: Comparison; number: number }
  | { kind: 'data-has'; path: DataPath }
  | TimeCondition

export type Term = Condition & Span

export type Node =
  | Term
  | { kind: 'and'; nodes: readonly Node[] }
  | { kind: 'or'; nodes: readonly Node[] }
  | { kind: 'not'; node: Node }

/** How a part of the query was read that may have been meant differently. */
export type Note = Span & { text: string }

export type Query = { node: Node; notes: readonly Note[] }

/** The names that lead to a member, in the one or two ways in which its path can be understood. */
export const dataKeys = (path: DataPath): string[][] =>
  path.includes('.') ? [path.split('.'), [path]] : [[path]]

/** The engine lower-cases ASCII only, so that both sides agree about every alphabet. */
export const lowered = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The digits of an integer that a double rounds: the data must have them too. */
export const longDigits = ([text = '']: Glob): string | undefined =>
  /^-?\d{16,}$/.test(text) ? text : undefined
