/**
 * The two ways in which a request to the analytics engine fails: the engine is unavailable, and the
 * outcome is unknown; or the engine refused the request.
 */
import { ClickHouseError } from '@clickhouse/client'
import { OperatorError, reasonOf } from '../operator-error.ts'

export type Operation = 'query' | 'command' | 'insert'

/** The engine is unavailable or too slow; the outcome of the request is unknown. */
export class EngineUnavailable extends Error {}

/** The engine refused the request; `code` is ClickHouse's error code. */
export class EngineRefusal extends Error {
  readonly code: number
  /** The refusal has nothing to do with the request itself, but with memory, disk space or load. */
  readonly is_transient: boolean

  constructor(code: number, message: string) {
    super(message)
    this.code = code
    this.is_transient = TRANSIENT.has(code)
  }
}

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EngineUnavailable || (error instanceof EngineRefusal && error.is_transient)

/** Error codes of ClickHouse (its src/Common/ErrorCodes.cpp) that this program handles. */
export const CODE = {
  unknown_table: 60,
  syntax_error: 62,
  unknown_database: 81,
  unknown_parameter: 456,
  quota_exceeded: 201,
  too_many_queries: 202,
  memory_limit: 241,
  authentication_failed: 516,
} as const

/** Whether a table or the database does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof EngineRefusal &&
  (error.code === CODE.unknown_table || error.code === CODE.unknown_database)

/**
 * Codes of an engine that is too slow, overloaded or stopping: 159 timeout exceeded, 202 too many
 * queries, 209 and 210 network, 236 shutting down, 279 all connections failed, 285 too few live
 * replicas, 319 unknown status of an insert, 394 query canceled, 999 Keeper unavailable.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([159, 202, 209, 210, 236, 279, 285, 319, 394, 999])

/** 241 memory, 242 read-only, 243 disk full, 252 too many parts, 290 and 516 account or its limits. */
const TRANSIENT: ReadonlySet<number> = new Set([241, 242, 243, 252, 290, 516])

/**
 * Converts what the client library throws. Messages of the engine quote values that may be user data,
 * so quoted texts are removed, and for an insert only the row number is kept.
 */
export function engineError(
  cause: unknown,
  operation: Operation = 'query',
): EngineUnavailable | EngineRefusal {
  if (cause instanceof EngineUnavailable || cause instanceof EngineRefusal) return cause
  if (cause instanceof OperatorError) return new EngineUnavailable(cause.message, { cause })
  if (!(cause instanceof ClickHouseError)) {
    return new EngineUnavailable(`The analytics engine is unavailable: ${sentenceOf(cause)}`, {
      cause,
    })
  }
  const code = Number(cause.code)
  const sentence = operation === 'insert' ? rowOf(cause.message) : withoutQuotes(cause.message)
  const message = `Code ${code} (${cause.type ?? 'UNKNOWN'})${sentence === '' ? '' : `: ${sentence}`}`
  return UNAVAILABLE.has(code)
    ? new EngineUnavailable(`The analytics engine is too slow or busy: ${message}`)
    : new EngineRefusal(code, message)
}

const SENTENCE_MAX_CHARS = 400

/** A proxy or another service in place of the engine may answer with a page, or without any text. */
const sentenceOf = (cause: unknown): string =>
  cause instanceof Error && cause.message === '' && !(cause instanceof AggregateError)
    ? 'the response is not from ClickHouse'
    : inOneLine(reasonOf(cause))

const inOneLine = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().slice(0, SENTENCE_MAX_CHARS)

const rowOf = (text: string): string => /at row \d+/.exec(text)?.[0] ?? ''

/** Values are in single quotes, our names in other quotes. An unclosed quote extends to the end. */
function withoutQuotes(text: string): string {
  return inOneLine(text.replace(/'(?:[^'\\]|\\[\s\S])*(?:'|$)/g, "'…'"))
}
