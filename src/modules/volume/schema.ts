export type VolumeStep = 'hour' | 'day'

export type MeterVolume = {
  meter: string
  /** One value per step of `starts`. */
  quantity: number[]
  credits: number[]
  total_quantity: number
  total_credits: number
}

export type Volume = {
  step: VolumeStep
  /** Beginning of each step; a day is the 24 hours from there. */
  starts: string[]
  /** Meters with usage, ordered by name. */
  meters: MeterVolume[]
  /** Orders that entered the review queue, per step. */
  flagged_orders: number[]
  /** Later usage can be missing. Normally the present. */
  complete_until: string
}
