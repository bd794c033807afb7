/**
 * Round amounts by currency: multiples of about ten units of a two-decimal currency. Currencies
 * without minor units, or with three decimals, have a different unit (ISO 4217 exponents).
 */

const TWO_DECIMALS_UNIT = 1000
const THREE_DECIMALS_UNIT = 10_000

const THREE_DECIMALS = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']

/** Units of currencies without minor units: a banknote that buys about a meal. */
const WITHOUT_DECIMALS: Readonly<Record<string, number>> = {
  BIF: 10_000,
  CLP: 10_000,
  DJF: 1000,
  GNF: 100_000,
  ISK: 1000,
  JPY: 1000,
  KMF: 5000,
  KRW: 10_000,
  PYG: 50_000,
  RWF: 10_000,
  UGX: 20_000,
  VND: 100_000,
  VUV: 1000,
  XAF: 5000,
  XOF: 5000,
  XPF: 1000,
}

const UNITS = new Map<string, number>([
  ...THREE_DECIMALS.map((currency): [string, number] => [currency, THREE_DECIMALS_UNIT]),
  ...Object.entries(WITHOUT_DECIMALS),
])

/** Returns the unit in minor units; an unknown currency counts as one with two decimals. */
export function roundUnit(currency: string | undefined): number {
  return (currency === undefined ? undefined : UNITS.get(currency)) ?? TWO_DECIMALS_UNIT
}

/** Returns 1 for a multiple of the unit, 0.5 for a multiple of half the unit, else 0. */
export function roundness(amountCents: number, currency: string | undefined): 0 | 0.5 | 1 {
  const unit = roundUnit(currency)
  if (amountCents <= 0) return 0
  if (amountCents % unit === 0) return 1
  return amountCents % (unit / 2) === 0 ? 0.5 : 0
}
