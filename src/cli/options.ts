/** Options that several commands share, and errors of servers that cannot listen. */
import { readFileSync, statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { reasonOf } from '../platform/operator-error.ts'
import { CommandError } from './io.ts'

export const MODES = ['live', 'test'] as const

/** An option that accepts one of several values, which commander lists in its help. */
export const oneOf = (flags: string, choices: readonly string[], help: string): Option =>
  new Option(flags, help).choices([...choices])

/** The options of `vigil export` and `vigil org export`, which are the same command. */
export const withExportOptions = (command: Command): Command =>
  command
    .requiredOption('--org <org_id>', 'id of the organization')
    .requiredOption('--to <folder>', 'a folder that is empty or does not exist')

export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new InvalidArgumentError('must be a port number from 0 to 65535')
  return value
}

export function credits(text: string): number {
  const value = /^\d{1,9}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0) return value
  throw new InvalidArgumentError('must be a positive number with up to 4 decimals')
}

/** 0 is a level, too. */
export const creditLevel = (text: string): number => (text === '0' ? 0 : credits(text))

export function count(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0)) throw new InvalidArgumentError('must be a whole number from 1 to 9999')
  return value
}

export function share(text: string): number {
  const value = /^[01](\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= 1) return value
  throw new InvalidArgumentError('must be a number above 0 and up to 1')
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Parses a date, which stands for midnight UTC, or a time with its time zone. */
export function instant(text: string): Date {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const time = new Date(INSTANT.test(text) ? text : Number.NaN)
  const isTime = !Number.isNaN(time.getTime()) && new Date(day).toISOString().startsWith(day)
  if (!isTime) {
    throw new InvalidArgumentError('must be a date (2026-03-01) or a time (2026-03-01T12:00:00Z)')
  }
  return time
}

const KEY_FILE_MAX_BYTES = 65_536

/** @throws CommandError when the file of a key cannot be read */
export function readKeyFile(file: string): string {
  try {
    if (statSync(file).size > KEY_FILE_MAX_BYTES) throw new CommandError('the file is too large')
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`Cannot use the key ${file}: ${reasonOf(cause)}`, { cause })
  }
}

const NOTE_MAX_CHARS = 1000

/** @throws CommandError when the note is too long */
export function checkNote(note: string | undefined): void {
  if ((note?.length ?? 0) > NOTE_MAX_CHARS) {
    throw new CommandError(`--note must not be longer than ${NOTE_MAX_CHARS} characters`)
  }
}

const LISTEN_FAULTS: Record<string, string> = {
  EACCES: 'Permission denied',
  EADDRNOTAVAIL: 'This machine does not have that address',
  ENOTFOUND: 'The host name cannot be resolved',
}

/** Explains why a server cannot listen and what to do. Returns any other error unchanged. */
export function listenFault(
  error: unknown,
  at: { host: string; port: number; hint: string; otherwise: string },
): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (code === 'EADDRINUSE') {
    const problem = `Port ${at.port} on ${at.host} is already in use, perhaps by another Vigil`
    return new CommandError(`${problem}. ${at.hint}.`)
  }
  const reason = LISTEN_FAULTS[code]
  if (reason === undefined) return error
  const problem = `Cannot listen on port ${at.port} of ${at.host}. ${reason}`
  return new CommandError(`${problem}: ${at.otherwise}.`)
}
