/** State of the amounts of a key in one currency. */
export type TrendState = {
  /** Square root of the amount that was usual before any rise */
  readonly level: number
  /** Standard deviation of the roots before any rise */
  readonly sd: number
  /** Mean distance of the recent orders above the level, in standard deviations */
  readonly rise: number
  /** Day of the latest order since 1970 */
  readonly day: number
}

export type MomentsState = {
  readonly currency: string
  /** Orders learned, up to a cap */
  readonly n: number
  /** Mean of the square roots of amounts in cents */
  readonly mean: number
  readonly variance: number
  /** Level that follows the mean slowly; only of profiles with a habit */
  readonly trend?: TrendState
}
