import { InvalidArgumentError, Option } from 'commander'

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
