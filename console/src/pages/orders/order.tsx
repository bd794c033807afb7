import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useItem } from '../../api/read.ts'
import {
  amountText,
  Columns,
  Copyable,
  DetailPage,
  Flags,
  RiskScore,
  Section,
  Time,
} from '../../components/index.ts'
import { AddToList } from '../../components/lists/add-entry.tsx'
import { identitiesOf, knownOfOrder } from '../../components/lists/identities.ts'
import { BehaviorCharts, Countries } from '../../components/order/behavior-charts.tsx'
import { OrderExplanation } from '../../components/order/explanation.tsx'
import { OrderMap } from '../../components/order/order-map.tsx'
import { PageLink } from '../../shell/links.tsx'
import { Decisions } from './decisions.tsx'
import { OrderDecision } from './order-columns.tsx'
import { OrderActions, OrderDevice, OrderFacts, OrderItems } from './order-parts.tsx'
import styles from './orders.module.css'
import { ProfileSummary } from './profile-summary.tsx'

export default function OrderPage() {
  const read = useItem<Answer<OrderDetails>>('/console/api/orders')
  return (
    <DetailPage
      read={read}
      what="order"
      title={({ order }) => `Order ${order.external_order_id}`}
      up={{ to: '/orders', label: 'Orders' }}
      lead={({ order }) => (
        <span class="row">
          <RiskScore score={order.risk_score} level={order.risk_level} />
          <strong>{amountText(order.amount_cents, order.currency)}</strong>
          <Time at={order.ordered_at} />
          <Flags flags={order.flags} />
          <OrderDecision {...order} />
          <Copyable text={order.id} label="Copy order ID" />
        </span>
      )}
    >
      {(details) => <Details details={details} />}
    </DetailPage>
  )
}

function Details({ details }: { details: Answer<OrderDetails> }) {
  const { order, behavior, before, profile } = details
  return (
    <Columns wide>
      <div>
        <Section
          title="Why this score"
          actions={
            <>
              <AddToList identities={identitiesOf(knownOfOrder(details))} />
              <RiskScore score={order.risk_score} level={order.risk_level} />
            </>
          }
        >
          <OrderExplanation details={details} />
        </Section>
        <Section title="Location">
          <div class="stack">
            <OrderMap details={details} />
            {behavior && <Countries countries={behavior.places.countries} />}
          </div>
        </Section>
        {behavior && (
          <Section title="Usual behavior of the profile">
            <p class={styles['lead']}>Current state, including orders after this one.</p>
            <BehaviorCharts behavior={behavior} orders={[order, ...before]} current={order} />
          </Section>
        )}
        <OrderItems {...details} />
        <OrderActions {...details} />
      </div>
      <div>
        <Decisions details={details} />
        {profile ? (
          <ProfileSummary profile={profile} />
        ) : (
          <Section title="Profile">
            <p class="muted">Anonymous order</p>
          </Section>
        )}
        <OrderFacts details={details} />
        {details.device && <OrderDevice device={details.device} />}
        {profile && (
          <p>
            <PageLink to="/orders" query={{ external_id: profile.external_id }}>
              All orders of this profile
            </PageLink>
          </p>
        )}
      </div>
    </Columns>
  )
}
