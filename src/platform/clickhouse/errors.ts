/**
 * The two ways in which the analytics engine fails to do what it was asked: it is away, and nothing
 * is known; or it answered that it will not.
 */
import { ClickHouseError } from '@clickhouse/client'
import { OperatorError, reasonOf } from '../operator-error.ts'

/** The engine is away or too slow: nothing is known about what was asked. */
export class EngineAway extends Error {}

/** The engine answered that it will not: `code` is ClickHouse's number. */
export class EngineRefusal extends Error {
  readonly code: number
  /** It says nothing about what was asked; the same may be accepted later (memory, disk, load). */
  readonly is_passing: boolean

  constructor(code: number, message: string) {
    super(message)
    this.code = code
    this.is_passing = PASSING.has(code)
  }
}

/** Whether the same may be answered later: the engine is away, or refuses for the moment. */
export const isForNow = (error: unknown): boolean =>
  error instanceof EngineAway || (error instanceof EngineRefusal && error.is_passing)

/** Numbers of ClickHouse (src/Common/ErrorCodes.cpp there) that this program knows. */
export const CODE = {
  unknown_table: 60,
  syntax_error: 62,
  unknown_database: 81,
  unknown_parameter: 456,
  too_many_queries: 202,
  memory_limit: 241,
  authentication_failed: 516,
} as const

/**
 * What an engine says that is too slow, overloaded or on its way out: 159 out of time, 202 too many
 * queries, 209 and 210 network, 236 shutting down, 279 no replica answers, 285 too few of them,
 * 319 fate of an insert unknown, 394 query was cancelled, 999 the keeper is away.
 */
const AWAY: ReadonlySet<number> = new Set([159, 202, 209, 210, 236, 279, 285, 319, 394, 999])

/** 241 memory, 242 read only, 243 disk full, 252 too many parts, 290 and 516 account or its limits. */
const PASSING: ReadonlySet<number> = new Set([241, 242, 243, 252, 290, 516])

/**
 * What the client library throws, as one of the two. The engine quotes what it could not take, which
 * may be anybody's data: nothing in quotes is repeated, and of an insert only the row's number.
 */
export function engineError(
  cause: unknown,
  asked: 'query' | 'command' | 'insert' = 'query',
): EngineAway | EngineRefusal {
  if (cause instanceof EngineAway || cause instanceof EngineRefusal) return cause
  if (cause instanceof OperatorError) return new EngineAway(cause.message, { cause })
  if (!(cause instanceof ClickHouseError)) {
    return new EngineAway(`The analytics engine is away: ${sentenceOf(cause)}`, { cause })
  }
  const code = Number(cause.code)
  const sentence = asked === 'insert' ? rowOf(cause.message) : withoutQuotes(cause.message)
  const message = `Code ${code} (${cause.type ?? 'UNKNOWN'})${sentence === '' ? '' : `: ${sentence}`}`
  return AWAY.has(code)
    ? new EngineAway(`The analytics engine is too slow or busy: ${message}`)
    : new EngineRefusal(code, message)
}

const SENTENCE_MAX_CHARS = 400

/** What answers in place of the engine (a proxy, another service) may send a page, or nothing at all. */
const sentenceOf = (cause: unknown): string =>
  cause instanceof Error && cause.message === '' && !(cause instanceof AggregateError)
    ? 'what answered is not ClickHouse'
    : inOneLine(reasonOf(cause))

const inOneLine = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().slice(0, SENTENCE_MAX_CHARS)

const rowOf = (text: string): string => /at row \d+/.exec(text)?.[0] ?? ''

/** Texts are in single quotes; names, which are ours, in others. An open quote goes on to the end. */
function withoutQuotes(text: string): string {
  return inOneLine(text.replace(/'(?:[^'\\]|\\[\s\S])*(?:'|$)/g, "'…'"))
}
