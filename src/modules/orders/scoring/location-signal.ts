/**
 * Compares the place of an order with the places of its profile, and its coordinates with its
 * country. Anonymous orders have no other places.
 */
import {
  type Assessment,
  assessed,
  assessPlace,
  type PlacesParameters,
  QUIET,
  stronger,
} from '../../behavior/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

export function assessLocation(
  facts: OrderFacts,
  { profile }: OrderStates,
  at_ms: number,
  { places }: { readonly places: PlacesParameters },
): Assessment {
  const home_country = profile?.country_code ?? null
  const place =
    facts.profile_id === undefined
      ? QUIET
      : assessPlace(profile?.places, facts, { at_ms, home_country }, places)
  if (!facts.is_outside_country || facts.country === undefined) return place
  const numbers = { stated_country: facts.country }
  return stronger(place, assessed(places.country_mismatch_score, 'country_mismatch', numbers))
}
