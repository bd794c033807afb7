/**
 * Card transactions of a made-up city by the published rules of the simulator of the Fraud Detection
 * Handbook (Le Borgne et al., chapter 3): 5,000 customers, 10,000 terminals, 183 days from 2018-04-01,
 * about 1.75 million transactions. The random numbers differ from those of the book, so totals agree
 * and rows do not. Columns are typed arrays by time.
 */
export type CardWorldSize = {
  customers: number
  terminals: number
  days: number
  /** Side of the square. With the published density of terminals, a customer reaches about 78 of them. */
  side: number
  /** Number of newly compromised ones per day; fractions add up over the days. */
  compromised_terminals_per_day: number
  compromised_customers_per_day: number
}

export type CardWorld = {
  count: number
  /** Seconds since the first midnight. */
  second: Uint32Array
  customer: Uint16Array
  terminal: Uint16Array
  amount_cents: Uint32Array
  /** 0 honest, else the scenario 1 to 3. */
  scenario: Uint8Array
}

export const PUBLISHED_SIZE: CardWorldSize = {
  customers: 5_000,
  terminals: 10_000,
  days: 183,
  side: 100,
  compromised_terminals_per_day: 2,
  compromised_customers_per_day: 3,
}

/** A fifth of the city with the same density and the same share of fraud. */
export const QUICK_SIZE: CardWorldSize = {
  ...PUBLISHED_SIZE,
  customers: 1_000,
  terminals: 2_000,
  side: 100 / Math.sqrt(5),
  compromised_terminals_per_day: 2 / 5,
  compromised_customers_per_day: 3 / 5,
}

export const FIRST_DAY_MS = Date.UTC(2018, 3, 1)
export const DAY_S = 86_400

export const emptyWorld = (capacity: number): CardWorld => ({
  count: 0,
  second: new Uint32Array(capacity),
  customer: new Uint16Array(capacity),
  terminal: new Uint16Array(capacity),
  amount_cents: new Uint32Array(capacity),
  scenario: new Uint8Array(capacity),
})

export const trimWorld = ({ count, ...columns }: CardWorld): CardWorld => ({
  count,
  second: columns.second.slice(0, count),
  customer: columns.customer.slice(0, count),
  terminal: columns.terminal.slice(0, count),
  amount_cents: columns.amount_cents.slice(0, count),
  scenario: columns.scenario.slice(0, count),
})
