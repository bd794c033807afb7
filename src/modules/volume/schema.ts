/** What was used over time, as the console shows it. */

export type VolumeStep = 'hour' | 'day'

export type MeterVolume = {
  meter: string
  /** Per step, as in `starts`. */
  quantity: number[]
  credits: number[]
  total_quantity: number
  total_credits: number
}

export type Volume = {
  step: VolumeStep
  /** When each step begins; a day is 24 hours from there. */
  starts: string[]
  /** Those of which there was anything, by name. */
  meters: MeterVolume[]
  /** Orders that entered the review queue, per step. */
  flagged_orders: number[]
  /** What came later may be missing; ordinarily the present. */
  complete_until: string
}
