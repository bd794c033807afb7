/**
 * What the phone module asks of the outside world, one port per kind of provider. Adapters never
 * throw and answer within the deadline they were made with.
 */
import type { Lookup } from '../../../platform/lookup.ts'

/** Days that make a SIM swap a recent one (specification, Limits). */
export const SIM_SWAP_WINDOW_DAYS = 7

export type SimSwapFact = {
  /** The number was tied to another SIM card within the window. */
  readonly recent_sim_swap: boolean
  /**
   * RFC 3339 in UTC. The last change of the SIM card, or the activation of the number when there
   * was none; null when the operator does not say.
   */
  readonly sim_swap_date: string | null
}

export type PortingFact = {
  /** The number was taken along to another operator. */
  readonly ported: boolean
  /** RFC 3339 in UTC; null when the source has no date. */
  readonly ported_date: string | null
  /** The operator that serves the number now, in the source's own code; null when it is not told. */
  readonly carrier_code: string | null
}

/** `phone`: E.164 with its plus sign. */
export type SimSwapProvider = (phone: string, signal?: AbortSignal) => Promise<Lookup<SimSwapFact>>

/** `phone`: E.164 with its plus sign. */
export type PortingProvider = (phone: string, signal?: AbortSignal) => Promise<Lookup<PortingFact>>

/** E.164 as CAMARA writes it: a plus sign and 5 to 15 digits. */
export const isE164 = (phone: string): boolean => /^\+[1-9]\d{4,14}$/.test(phone)
