/** Hour of an order by the clock on its wall, against the hours of its profile. */
import { type Assessment, assessHour, EMPTY_HOURS } from '../../behaviour/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates } from './states.ts'

export function assessTime(
  { local_hour }: OrderFacts,
  { profile, organization }: OrderStates,
  at_ms: number,
  { hours }: OrderParameters,
): Assessment {
  const own = profile?.hours ?? EMPTY_HOURS
  return assessHour(own, organization?.hours ?? EMPTY_HOURS, local_hour, at_ms, hours)
}
