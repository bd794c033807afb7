/** Options that several commands share, and the faults they can cause. */
import { InvalidArgumentError, Option } from 'commander'
import { CommandError } from './command.ts'

export const MODES = ['live', 'test'] as const

/** An option that takes one of a few words. */
export const oneOf = (flags: string, choices: readonly string[], help: string): Option =>
  new Option(flags, `${help} (${choices.join('|')})`).choices([...choices])

export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new InvalidArgumentError('must be a port from 0 to 65535')
  return value
}

export function credits(text: string): number {
  const value = /^\d{1,9}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0))
    throw new InvalidArgumentError('must be a positive number with up to 4 decimals')
  return value
}

export function count(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0)) throw new InvalidArgumentError('must be a whole number from 1 to 9999')
  return value
}

export function share(text: string): number {
  const value = /^[01](\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0 && value <= 1)) {
    throw new InvalidArgumentError('must be a number above 0 and up to 1')
  }
  return value
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** A day, which begins at midnight UTC, or an instant with its time zone. */
export function instant(text: string): Date {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const time = new Date(INSTANT.test(text) ? text : Number.NaN)
  const isTime = !Number.isNaN(time.getTime()) && new Date(day).toISOString().startsWith(day)
  if (!isTime) {
    throw new InvalidArgumentError(
      'must be a day (2026-03-01) or an instant (2026-03-01T12:00:00Z)',
    )
  }
  return time
}

const LISTEN_FAULTS: Record<string, string> = {
  EACCES: 'This account may not listen there',
  EADDRNOTAVAIL: 'This machine does not have that address',
  ENOTFOUND: 'There is no such host',
}

/** Why a server cannot listen, with what to do; any other error as it is. */
export function listenFault(
  error: unknown,
  at: { host: string; port: number; hint: string; otherwise: string },
): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `Port ${at.port} on ${at.host} is taken, perhaps by another Vigil. ${at.hint}.`,
    )
  }
  const reason = LISTEN_FAULTS[code]
  if (reason === undefined) return error
  return new CommandError(
    `Cannot listen on port ${at.port} of ${at.host}. ${reason}; ${at.otherwise}.`,
  )
}
