import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  amountText,
  Facts,
  RiskScore,
  SCORE_COLUMN,
  Section,
  Table,
  Time,
  wordsOf,
} from '../../components/index.ts'
import { hourText } from '../../components/order/signals.ts'
import { PageLink } from '../../shell/links.tsx'

type Details = Answer<OrderDetails>
type Item = NonNullable<Details['sent']['items']>[number]

export function OrderFacts({ details: { order, sent } }: { details: Details }) {
  const place = [sent.location_name, sent.location_city, sent.location_country]
  return (
    <Section title="Order details">
      <Facts
        facts={[
          ['Order', <code>{order.external_order_id}</code>],
          ['Profile', sent.external_id],
          ['Amount', amountText(order.amount_cents, order.currency)],
          ['Item count', sent.item_count],
          ['Order type', sent.order_type && wordsOf(sent.order_type)],
          ['Payment method', sent.payment_method],
          ['Store', place.filter((text) => text !== undefined).join(', ') || null],
          ['Local hour', hourText(order.local_hour)],
          ['Device', sent.fingerprint_hash && <code>{sent.fingerprint_hash}</code>],
          ['IP hash', sent.ip_hash && <code>{sent.ip_hash}</code>],
          ['Terminal', sent.edge_device_id],
          [
            'Cashier',
            order.cashier_id === null ? null : (
              <PageLink to={`/cashiers/${order.cashier_id}`}>{sent.cashier_external_id}</PageLink>
            ),
          ],
          ['Ordered', <Time at={order.ordered_at} />],
          ['Received', <Time at={order.created_at} />],
          ['Sequence number', order.seq],
          ['Rules', order.rules_version === 0 ? 'Defaults' : `Version ${order.rules_version}`],
        ]}
      />
    </Section>
  )
}

export function OrderItems({ sent: { items = [], amount_cents }, order: { currency } }: Details) {
  if (items.length === 0) return null
  const sum = items.reduce((total, item) => total + item.total_price_cents, 0)
  return (
    <Section title="Items">
      <Table
        label="Items of the order"
        rows={items.map((item, index) => ({ ...item, line: String(index + 1) }))}
        keyOf={({ line }) => line}
        columns={[
          { label: 'Line', isNumber: true, cell: ({ line }) => line },
          {
            label: 'Item',
            isWide: true,
            cell: ({ external_item_id, item_category }) => (
              <>
                {external_item_id ?? <span class="muted">unnamed</span>}{' '}
                <span class="muted">{item_category}</span>
              </>
            ),
          },
          { label: 'Quantity', isNumber: true, cell: ({ quantity }) => quantity },
          {
            label: 'Price',
            isNumber: true,
            cell: ({ unit_price_cents }) => amountText(unit_price_cents, currency),
          },
          { label: 'Discount', isNumber: true, cell: (item) => discountText(item, currency) },
          {
            label: 'Total',
            isNumber: true,
            cell: ({ total_price_cents }) => amountText(total_price_cents, currency),
          },
        ]}
      />
      <p class="number">
        Items: {amountText(sum, currency)}. Order: {amountText(amount_cents, currency)}.
      </p>
    </Section>
  )
}

function discountText({ discount_cents, discount_type }: Item, currency: string): string {
  if (discount_cents === undefined || discount_cents === 0) return ''
  const kind = discount_type === undefined || discount_type === 'none' ? '' : ` (${discount_type})`
  return amountText(discount_cents, currency) + kind
}

export function OrderDevice({ device }: { device: NonNullable<Details['device']> }) {
  const { check, profiles, fingerprint_hash } = device
  return (
    <Section title="Device">
      <Facts
        facts={[
          ['Fingerprint', <code>{fingerprint_hash}</code>],
          ['Profiles using it', profiles],
          [
            'Strongest check',
            check ? (
              <span class="row">
                <RiskScore score={check.risk_score} level={check.risk_level} />
                {check.id === null ? (
                  <Time at={check.checked_at} />
                ) : (
                  <PageLink to={`/checks/${check.id}`}>
                    <Time at={check.checked_at} />
                  </PageLink>
                )}
              </span>
            ) : (
              <span class="muted">No relevant check</span>
            ),
          ],
        ]}
      />
    </Section>
  )
}

export function OrderActions({ actions, order: { currency } }: Details) {
  if (actions.length === 0) return null
  return (
    <Section title="Cashier actions">
      <Table
        label="Cashier actions of this order"
        rows={actions}
        keyOf={({ id }) => id}
        columns={[
          { label: 'Time', cell: ({ performed_at }) => <Time at={performed_at} /> },
          {
            label: 'Action',
            cell: ({ id, action_type }) => (
              <PageLink to={`/cashiers/actions/${id}`}>{wordsOf(action_type)}</PageLink>
            ),
          },
          {
            label: 'Amount',
            isNumber: true,
            cell: ({ amount_cents }) =>
              amount_cents === null ? null : amountText(amount_cents, currency),
          },
          { label: 'Cashier', cell: ({ cashier_external_id }) => cashier_external_id },
          SCORE_COLUMN,
          { label: 'Reason', isWide: true, cell: ({ reason }) => reason },
        ]}
      />
    </Section>
  )
}
