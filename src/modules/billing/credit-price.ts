/** The price of credits in money. */

/** `per_1000_credits` is in the smallest unit of the currency, such as cents. */
export type Price = { currency: string; per_1000_credits: number }

const CREDITS_PRICED = 1000

/** @returns the amount in whole units of the currency, rounded to its usual decimals */
export function amountOf(credits: number, { currency, per_1000_credits }: Price): number {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  const unit = 10 ** digits
  // Adding 0 makes 0 of -0.
  return Math.round((credits * per_1000_credits) / CREDITS_PRICED) / unit + 0
}
