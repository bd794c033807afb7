/** Converts credits, which people see, to units, which are counted in whole numbers. */

export const UNITS_PER_CREDIT = 10_000

/** @returns the nearest whole number of units */
export const toUnits = (credits: number): number => Math.round(credits * UNITS_PER_CREDIT)

export const toCredits = (units: number): number => units / UNITS_PER_CREDIT

/** Whether the number of credits is above zero and has at most four decimals. */
export function isGrantable(credits: number): boolean {
  const units = toUnits(credits)
  return units > 0 && Number.isSafeInteger(units) && toCredits(units) === credits
}
