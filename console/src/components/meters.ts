import { nameIn } from './format.ts'

const METERS: Readonly<Record<string, string>> = {
  check: 'Checks',
  order: 'Orders',
  edge_log: 'Log entries',
  rum_event: 'RUM events',
  rum_session: 'RUM sessions',
}

export const meterName = (meter: string): string => nameIn(METERS, meter)

/** In display order; unknown meters come last. */
export function inOrder<T extends { meter: string }>(meters: readonly T[]): T[] {
  const names = Object.keys(METERS)
  const rank = ({ meter }: T) => (names.includes(meter) ? names.indexOf(meter) : names.length)
  return meters.toSorted((a, b) => rank(a) - rank(b))
}
