import type { OrderListItem } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { DecisionBadge } from '../../components/decisions.tsx'
import {
  amountText,
  Badge,
  FlagsInLine,
  Identifier,
  SCORE_COLUMN,
  Time,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import type { Sort } from '../../components/tables/sort.tsx'
import { PageLink } from '../../shell/links.tsx'

type Order = Answer<OrderListItem>

const PROFILE: Column<Order> = {
  label: 'Profile',
  cell: ({ profile_id, external_id }) =>
    profile_id === null ? (
      <span class="muted">anonymous</span>
    ) : (
      <Identifier text={external_id ?? profile_id}>
        {(text) => <PageLink to={`/orders/profiles/${profile_id}`}>{text}</PageLink>}
      </Identifier>
    ),
}

/**
 * @param hasProfile false where all orders belong to one profile
 * @param sorting of the time of receipt, where the list can be turned around
 */
export const orderColumns = (hasProfile = true, sorting?: Sort): Column<Order>[] => [
  {
    label: 'Ordered',
    cell: ({ ordered_at }) => <Time at={ordered_at} />,
    ...(sorting && { sorting }),
  },
  SCORE_COLUMN,
  {
    label: 'Order',
    cell: ({ id, external_order_id }) => (
      <Identifier text={external_order_id}>
        {(text) => <PageLink to={`/orders/${id}`}>{text}</PageLink>}
      </Identifier>
    ),
  },
  ...(hasProfile ? [PROFILE] : []),
  {
    label: 'Amount',
    isNumber: true,
    cell: ({ amount_cents, currency }) => amountText(amount_cents, currency),
  },
  {
    label: 'Type and place',
    cell: (order) => (
      <span class="muted one-line" title={placeText(order)}>
        {placeText(order) || '–'}
      </span>
    ),
  },
  {
    label: 'Flags',
    cell: ({ flags }) => <FlagsInLine flags={flags} />,
  },
  { label: 'Decision', cell: (order) => <OrderDecision {...order} /> },
]

export function OrderDecision({ decision, is_waiting }: Pick<Order, 'decision' | 'is_waiting'>) {
  if (decision !== null) return <DecisionBadge decision={decision} />
  return is_waiting ? <Badge tone="info">in review</Badge> : null
}

function placeText(order: Order): string {
  const { order_type, payment_method, location_name, location_city, location_country } = order
  const where = location_name ?? location_city ?? location_country
  return [order_type?.replace('_', ' '), payment_method, where]
    .filter((text) => text !== null && text !== undefined)
    .join(', ')
}
