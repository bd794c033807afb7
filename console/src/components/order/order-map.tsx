/** Places of an order, of the previous one, and the usual areas of the profile. */
import type {
  OrderDetails,
  OrderListItem,
  ProfileBehavior,
} from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { dayText, durationText, numberText, percentText } from '../format.ts'
import { MiniMap } from '../map/mini-map.tsx'
import type { MapPlace } from '../map/places.ts'
import { distanceKm, type Point } from '../map/view.ts'

type Details = Answer<OrderDetails>
type Order = Answer<OrderListItem>
type Placed = Order & Point

const isPlaced = (order: Order): order is Placed =>
  order.latitude !== null && order.longitude !== null

export function OrderMap({ details }: { details: Details }) {
  const { order, before, behavior } = details
  const here = isPlaced(order) ? order : undefined
  const previous = before.find(isPlaced)
  const areas = areasOf(behavior?.places)
  const places: MapPlace[] = [
    ...(here ? [{ ...pointOf(here), kind: 'here' as const, label: 'This order' }] : []),
    ...(previous
      ? [{ ...pointOf(previous), kind: 'before' as const, label: beforeLabel(previous) }]
      : []),
    ...areas,
  ]
  if (places.length === 0) return <p class="muted">This order has no coordinates.</p>
  const journey = journeyText(here, previous)
  return (
    <div class="stack">
      <MiniMap
        label={`Map of ${here ? 'this order' : 'the profile'}${areas.length > 0 ? ' and the usual areas of the profile' : ''}`}
        places={places}
        journey={here && previous ? { from: previous, to: here } : undefined}
      />
      {journey !== undefined && <p>{journey}</p>}
    </div>
  )
}

/** The usual areas of a profile. */
export function ProfileMap({ places }: { places: Answer<ProfileBehavior>['places'] }) {
  const areas = areasOf(places)
  const last: MapPlace[] = places.last
    ? [{ ...pointOf(places.last), kind: 'before', label: 'Last order with coordinates' }]
    : []
  if (areas.length + last.length === 0) return <p class="muted">No orders with coordinates.</p>
  return <MiniMap label="Map of the usual areas of the profile" places={[...last, ...areas]} />
}

/** With its score, because a flagged order is not used as the previous place in scoring. */
const beforeLabel = ({ ordered_at, risk_score }: Placed): string =>
  `Previous order, ${dayText(new Date(ordered_at))}, score ${risk_score}`

const pointOf = ({ latitude, longitude }: Point): Point => ({ latitude, longitude })

function areasOf(places: Answer<ProfileBehavior>['places'] | undefined): MapPlace[] {
  return (places?.areas ?? []).map((area) => ({
    ...pointOf(area),
    kind: 'usual' as const,
    label: `Usual area, ${percentText(area.share, 0)} of visits`,
  }))
}

function journeyText(here: Placed | undefined, previous: Placed | undefined): string | undefined {
  if (!here || !previous) return undefined
  const km = distanceKm(previous, here)
  const elapsed = Math.abs(Date.parse(here.ordered_at) - Date.parse(previous.ordered_at))
  return `${numberText(km, { digits: 0 })} km from the previous order, ${durationText(elapsed)} apart.`
}
