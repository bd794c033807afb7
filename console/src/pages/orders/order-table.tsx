/** Orders in rows, as lists and profiles show them. */
import type { OrderListItem } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { amountText, Badge, RiskScore, Table, Time } from '../../components/index.ts'
import { wordsOf } from '../../components/order/signals.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './orders.module.css'

type Order = Answer<OrderListItem>

export function OrderTable({
  label,
  orders,
  hideProfile = false,
}: {
  label: string
  orders: readonly Order[]
  hideProfile?: boolean
}) {
  const profile = {
    label: 'Profile',
    cell: ({ profile_id, external_id }: Order) =>
      profile_id === null ? (
        <span class="muted">anonymous</span>
      ) : (
        <PageLink to={`/orders/profiles/${profile_id}`}>{external_id}</PageLink>
      ),
  }
  return (
    <Table
      label={label}
      rows={orders}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Ordered',
          cell: ({ ordered_at }) => (
            <span class={styles['nowrap']}>
              <Time at={ordered_at} />
            </span>
          ),
        },
        {
          label: 'Score',
          cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
        },
        {
          label: 'Order',
          isWide: true,
          cell: ({ id, external_order_id }) => (
            <PageLink to={`/orders/${id}`}>{external_order_id}</PageLink>
          ),
        },
        ...(hideProfile ? [] : [profile]),
        {
          label: 'Amount',
          isNumber: true,
          cell: ({ amount_cents, currency }) => amountText(amount_cents, currency),
        },
        {
          label: 'How and where',
          cell: (order) => (
            <span class={`muted ${styles['place']}`}>{placeText(order) || '–'}</span>
          ),
        },
        { label: 'Flags', cell: ({ flags }) => <Flags flags={flags} /> },
        { label: 'Decision', cell: (order) => <DecisionBadge {...order} /> },
      ]}
    />
  )
}

export const Flags = ({ flags }: { flags: readonly string[] }) => (
  <span class="row">
    {flags.map((flag) => (
      <Badge key={flag} tone="warn">
        {wordsOf(flag)}
      </Badge>
    ))}
  </span>
)

export function DecisionBadge({ decision, is_waiting }: Pick<Order, 'decision' | 'is_waiting'>) {
  if (decision === 'confirmed_fraud') return <Badge tone="bad">confirmed fraud</Badge>
  if (decision === 'legitimate') return <Badge tone="good">legitimate</Badge>
  return is_waiting ? <Badge tone="info">in review</Badge> : null
}

function placeText(order: Order): string {
  const { order_type, payment_method, location_name, location_city, location_country } = order
  const where = location_name ?? location_city ?? location_country
  return [order_type?.replace('_', ' '), payment_method, where]
    .filter((text) => text !== null && text !== undefined)
    .join(', ')
}
