/** What is counted, in words. */
const METERS: Readonly<Record<string, string>> = {
  check: 'Checks',
  order: 'Orders',
  edge_log: 'Log entries',
  rum_event: 'Browser events',
  rum_session: 'Browser sessions',
}

export const meterText = (meter: string): string =>
  Object.hasOwn(METERS, meter) ? (METERS[meter] ?? meter) : meter

/** In the order in which they are shown; others come after them. */
export function inOrder<T extends { meter: string }>(meters: readonly T[]): T[] {
  const names = Object.keys(METERS)
  const rank = ({ meter }: T) => (names.includes(meter) ? names.indexOf(meter) : names.length)
  return meters.toSorted((a, b) => rank(a) - rank(b))
}
