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

export type MeterCosts = {
  meter: string
  /** One value per day. */
  quantity: number[]
  credits: number[]
  total_quantity: number
  total_credits: number
}

export type PeriodCosts = {
  /** As `2026-03-01`, in the time zone of the request. */
  days: string[]
  /** The most expensive first. */
  meters: MeterCosts[]
  total_credits: number
  /** For the whole period; null unless it has begun and not ended. */
  forecast_credits: number | null
  /** Later usage can be missing. */
  complete_until: string
}

/** The costs that an API key caused; without `key_id`, what no key caused. */
export type KeyCosts = {
  key_id: string | null
  name: string
  key_hint: string
  /** One value per day. */
  credits: number[]
  total_credits: number
  meters: { meter: string; total_quantity: number; total_credits: number }[]
}

/** `per_1000_credits` is in the smallest unit of the currency. */
export type PricedCosts = PeriodCosts & {
  /** The most expensive first. */
  keys: KeyCosts[]
  price: { currency: string; per_1000_credits: number } | null
}
