/** One order: what was sent, why it got its score, what its profile is like, what was decided. */
import { useParams } from 'wouter'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  amountText,
  Columns,
  Copyable,
  Page,
  RiskScore,
  Section,
  Shown,
  Time,
} from '../../components/index.ts'
import { BehaviourPictures, Countries } from '../../components/order/behaviour.tsx'
import { OrderExplanation } from '../../components/order/explanation.tsx'
import { OrderMap } from '../../components/order/order-map.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { Decisions } from './decisions.tsx'
import { OrderActions, OrderDevice, OrderFacts, OrderItems } from './order-parts.tsx'
import { DecisionBadge, Flags } from './order-table.tsx'
import styles from './orders.module.css'
import { ProfileSummary } from './profile-summary.tsx'

export default function OrderPage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const read = useRead<Answer<OrderDetails>>(`/console/api/orders/${encodeURIComponent(id)}`, {
    org_id,
  })
  const order = read.data?.order
  return (
    <Page
      title={order ? `Order ${order.external_order_id}` : 'Order'}
      up={{ to: '/orders', label: 'Orders' }}
      lead={
        order && (
          <span class="row">
            <RiskScore score={order.risk_score} level={order.risk_level} />
            <strong>{amountText(order.amount_cents, order.currency)}</strong>
            <Time at={order.ordered_at} />
            {order.flags.length > 0 && <Flags flags={order.flags} />}
            <DecisionBadge {...order} />
            <Copyable text={order.id} label="Copy order ID" />
          </span>
        )
      }
    >
      <Shown read={read} what="the order">
        {(details) => <Details details={details} />}
      </Shown>
    </Page>
  )
}

function Details({ details }: { details: Answer<OrderDetails> }) {
  const { order, signals, is_of_new_organization, behaviour, before, profile } = details
  return (
    <Columns wide>
      <div>
        <Section
          title="Why this score"
          actions={<RiskScore score={order.risk_score} level={order.risk_level} />}
        >
          <OrderExplanation
            score={order.risk_score}
            signals={signals}
            is_of_new_organization={is_of_new_organization}
          />
        </Section>
        <Section title="Where">
          <div class="stack">
            <OrderMap details={details} />
            {behaviour && <Countries countries={behaviour.places.countries} />}
          </div>
        </Section>
        {behaviour && (
          <Section title="What the profile usually does">
            <p class={styles['lead']}>As it is known now, with what came after this order.</p>
            <BehaviourPictures behaviour={behaviour} orders={[order, ...before]} current={order} />
          </Section>
        )}
        <OrderItems sent={details.sent} currency={order.currency} />
        <OrderActions actions={details.actions} currency={order.currency} />
      </div>
      <div>
        <Decisions details={details} />
        {profile ? (
          <ProfileSummary profile={profile} />
        ) : (
          <Section title="Profile">
            <p class="muted">An anonymous order.</p>
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
