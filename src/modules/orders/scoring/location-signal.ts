/** Place of an order against the places of its profile; who is anonymous has no place. */
import { type Assessment, assessPlace, type PlacesParameters } from '../../behaviour/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

export function assessLocation(
  facts: OrderFacts,
  { profile }: OrderStates,
  at_ms: number,
  { places }: { readonly places: PlacesParameters },
): Assessment {
  if (facts.profile_id === undefined) return NOWHERE
  return assessPlace(profile?.places, facts, at_ms, profile?.country_code ?? null, places)
}

const NOWHERE: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }
