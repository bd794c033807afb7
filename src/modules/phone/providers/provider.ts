/**
 * Ports of the phone module, one per kind of provider. Adapters never throw, and answer within the
 * deadline that they were created with.
 */
import type { Lookup } from '../../../platform/lookup.ts'

/** A SIM swap within this number of days is recent (specification, "Limits"). */
export const SIM_SWAP_WINDOW_DAYS = 7

export type SimSwapFact = {
  /** The number was tied to another SIM card within the window. */
  readonly recent_sim_swap: boolean
  /**
   * Last change of the SIM card, or the activation of the number without one, in RFC 3339 (UTC); null
   * when the operator does not provide it.
   */
  readonly sim_swap_date: string | null
}

export type PortingFact = {
  /** The number was ported to another operator. */
  readonly ported: boolean
  /** RFC 3339 in UTC; null when the source has no date. */
  readonly ported_date: string | null
  /** Present operator, in the code of the source; null when the source does not provide it. */
  readonly carrier_code: string | null
}

/** @param phone in E.164 with its plus sign */
export type SimSwapProvider = (phone: string, signal?: AbortSignal) => Promise<Lookup<SimSwapFact>>

/** @param phone in E.164 with its plus sign */
export type PortingProvider = (phone: string, signal?: AbortSignal) => Promise<Lookup<PortingFact>>

/** E.164 as CAMARA defines it: a plus sign and 5 to 15 digits. */
export const isE164 = (phone: string): boolean => /^\+[1-9]\d{4,14}$/.test(phone)
