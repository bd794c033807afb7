/** Compares the place of an order with the places of its profile. Anonymous orders have none. */
import { type Assessment, assessPlace, type PlacesParameters, QUIET } from '../../behavior/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

export function assessLocation(
  facts: OrderFacts,
  { profile }: OrderStates,
  at_ms: number,
  { places }: { readonly places: PlacesParameters },
): Assessment {
  if (facts.profile_id === undefined) return QUIET
  const home_country = profile?.country_code ?? null
  return assessPlace(profile?.places, facts, { at_ms, home_country }, places)
}
