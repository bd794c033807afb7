/** Where an order came from, where the one before did, and where its profile is usually found. */
import type {
  OrderDetails,
  OrderListItem,
  ProfileBehaviour,
} from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { dayText, durationText, numberText, percentText } from '../format.ts'
import { type MapPlace, MiniMap } from '../map/mini-map.tsx'
import { distanceKm, type Point } from '../map/view.ts'

type Details = Answer<OrderDetails>
type Order = Answer<OrderListItem>
type Placed = Order & Point

const isPlaced = (order: Order): order is Placed =>
  order.latitude !== null && order.longitude !== null

/** Nothing for an order without coordinates of a profile without any. */
export function OrderMap({ details }: { details: Details }) {
  const { order, before, behaviour } = details
  const here = isPlaced(order) ? order : undefined
  const previous = before.find(isPlaced)
  const areas = areasOf(behaviour?.places)
  const places: MapPlace[] = [
    ...(here ? [{ ...pointOf(here), kind: 'here' as const, label: 'This order' }] : []),
    ...(previous
      ? [{ ...pointOf(previous), kind: 'before' as const, label: beforeLabel(previous) }]
      : []),
    ...areas,
  ]
  if (places.length === 0) return <p class="muted">The order came without coordinates.</p>
  const words = journeyText(here, previous)
  return (
    <div class="stack">
      <MiniMap
        label={`Map of ${here ? 'this order' : 'the profile'}${areas.length > 0 ? ' and where its profile is usually found' : ''}`}
        places={places}
        journey={here && previous ? { from: previous, to: here } : undefined}
      />
      {words !== undefined && <p>{words}</p>}
    </div>
  )
}

/** Where a profile is usually found. */
export function ProfileMap({ places }: { places: Answer<ProfileBehaviour>['places'] }) {
  const areas = areasOf(places)
  const last: MapPlace[] = places.last
    ? [{ ...pointOf(places.last), kind: 'before', label: 'Last order with coordinates' }]
    : []
  if (areas.length + last.length === 0) return <p class="muted">No order came with coordinates.</p>
  return <MiniMap label="Map of where the profile is usually found" places={[...last, ...areas]} />
}

/** With its score: what was held back has moved nobody, and is not what this order was compared with. */
const beforeLabel = ({ ordered_at, risk_score }: Placed): string =>
  `The order before, of ${dayText(new Date(ordered_at))}, score ${risk_score}`

const pointOf = ({ latitude, longitude }: Point): Point => ({ latitude, longitude })

function areasOf(places: Answer<ProfileBehaviour>['places'] | undefined): MapPlace[] {
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
  return `${numberText(km, { digits: 0 })} km from the order before, ${durationText(elapsed)} apart.`
}
