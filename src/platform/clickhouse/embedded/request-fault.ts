/** Errors of requests in the form of a ClickHouse server: HTTP status, code and message. */

export class RequestFault extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export type FaultAnswer = { status: number; code: number; body: string }

/** Names of the errors that the HTTP front reports itself; the engine's messages include theirs. */
const NAMES: Readonly<Record<number, string>> = {
  48: 'NOT_IMPLEMENTED',
  62: 'SYNTAX_ERROR',
  115: 'UNKNOWN_SETTING',
  202: 'TOO_MANY_SIMULTANEOUS_QUERIES',
  236: 'ABORTED',
  241: 'MEMORY_LIMIT_EXCEEDED',
  307: 'TOO_MANY_BYTES',
  456: 'UNKNOWN_QUERY_PARAMETER',
  457: 'BAD_QUERY_PARAMETER',
  516: 'AUTHENTICATION_FAILED',
  1001: 'STD_EXCEPTION',
}

/** The main entries of src/Server/HTTP/exceptionCodeToHTTPStatus.cpp of ClickHouse. */
const STATUS: Readonly<Record<number, number>> = {
  ...statuses(403, [192, 193, 291, 497, 516]),
  ...statuses(404, [16, 36, 46, 47, 49, 60, 81, 115, 456]),
  ...statuses(400, [6, 26, 27, 38, 41, 43, 53, 62, 70, 72, 117, 131, 386, 457]),
  ...statuses(413, [307]),
  ...statuses(501, [48, 50]),
  ...statuses(503, [202, 209, 236, 439]),
}

const OTHER = 1001

/** @param version of the engine, which ClickHouse appends to every message */
export function faultAnswer(error: unknown, version: string): FaultAnswer {
  const text = sentenceOf(error)
  const code = Number(/^Code: (\d+)\./.exec(text)?.[1] ?? OTHER)
  return { status: STATUS[code] ?? 500, code, body: `${text} (version ${version})\n` }
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof RequestFault) return sentence(error.code, message)
  const start = message.search(/Code: \d+\. DB::/)
  return start === -1 ? sentence(OTHER, message) : message.slice(start).trim()
}

const sentence = (code: number, message: string): string =>
  `Code: ${code}. DB::Exception: ${message} (${NAMES[code] ?? 'UNKNOWN'})`

function statuses(status: number, codes: number[]): Record<number, number> {
  return Object.fromEntries(codes.map((code) => [code, status]))
}
