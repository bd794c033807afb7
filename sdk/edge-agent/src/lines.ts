/** Converts the output of a program to log entries, line by line. */
import type { LogFields, LogLevel } from './types.ts'

export type Line = { level: LogLevel; message: string; fields: LogFields }

/** Limit for programs that do not end their lines. */
const LINE_CHARS_MAX = 1_000_000

/** Yields the lines of a stream without empty ones, including a last line without a line feed. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '')
    if (rest.length > LINE_CHARS_MAX) {
      yield rest
      rest = ''
    }
  }
  if (rest.trim() !== '') yield rest
}

/**
 * Reads a line. A JSON object with `message` or `msg` becomes an entry with that message, its level
 * (words, or the numbers of bunyan and pino) and the other members as `data`; any other line is the
 * message itself.
 */
export function readLine(line: string, defaultLevel: LogLevel): Line {
  const members = objectIn(line)
  const { message, msg, level, ...data } = members ?? {}
  const text = typeof message === 'string' ? message : msg
  if (typeof text !== 'string') return { level: defaultLevel, message: line, fields: {} }
  return {
    level: levelOf(level) ?? defaultLevel,
    message: text,
    fields: Object.keys(data).length > 0 ? { data } : {},
  }
}

function objectIn(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const WORDS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  fatal: 'fatal',
  critical: 'fatal',
}

function levelOf(level: unknown): LogLevel | undefined {
  if (typeof level === 'string') {
    const word = level.toLowerCase()
    return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
  }
  if (typeof level !== 'number') return undefined
  if (level >= 60) return 'fatal'
  if (level >= 50) return 'error'
  if (level >= 40) return 'warn'
  return level >= 30 ? 'info' : 'debug'
}
