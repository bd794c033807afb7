import type { OrderListItem } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { DecisionBadge } from '../../components/decisions.tsx'
import { amountText, Badge, Flags, SCORE_COLUMN, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import styles from './orders.module.css'

type Order = Answer<OrderListItem>

const PROFILE: Column<Order> = {
  label: 'Profile',
  cell: ({ profile_id, external_id }) =>
    profile_id === null ? (
      <span class="muted">anonymous</span>
    ) : (
      <PageLink to={`/orders/profiles/${profile_id}`}>{external_id}</PageLink>
    ),
}

/** @param hasProfile false where all orders belong to one profile */
export const orderColumns = (hasProfile = true): Column<Order>[] => [
  { label: 'Ordered', cell: ({ ordered_at }) => <Time at={ordered_at} /> },
  SCORE_COLUMN,
  {
    label: 'Order',
    isWide: true,
    cell: ({ id, external_order_id }) => (
      <PageLink to={`/orders/${id}`}>{external_order_id}</PageLink>
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
    cell: (order) => <span class={`muted ${styles['place']}`}>{placeText(order) || '–'}</span>,
  },
  {
    label: 'Flags',
    cell: ({ flags }) => (
      <span class="row">
        <Flags flags={flags} />
      </span>
    ),
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
