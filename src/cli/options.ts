/** Options that several commands share, and the faults they can cause. */
import { InvalidArgumentError, Option } from 'commander'
import { CommandError } from './command.ts'

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
