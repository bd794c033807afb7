import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import { CashierActionFacts, CashierExplanation } from '../../components/cashier/explanation.tsx'
import {
  amountText,
  countText,
  Empty,
  Facts,
  Loaded,
  Section,
  Time,
} from '../../components/index.ts'
import { OrderExplanation } from '../../components/order/explanation.tsx'
import { OrderMap } from '../../components/order/order-map.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'

type Subject = Pick<ReviewItem, 'subject' | 'subject_id'>

export function ReviewSubject({ review }: { review: Subject }) {
  const Details = review.subject === 'cashier_action' ? CashierAction : Order
  return <Details id={review.subject_id} />
}

/** API path of the subject. */
export const subjectPath = ({ subject, subject_id }: Subject): string =>
  subject === 'cashier_action'
    ? `/console/api/cashiers/actions/${subject_id}`
    : `/console/api/orders/${subject_id}`

function Expired({ what }: { what: string }) {
  return (
    <Section title="Details">
      <Empty title={`The ${what} is no longer stored`}>
        <p>It was deleted after the retention period and can no longer be decided.</p>
      </Empty>
    </Section>
  )
}

function Order({ id }: { id: string }) {
  const { id: org_id } = useOrg()
  const read = useRead<Answer<OrderDetails>>(`/console/api/orders/${id}`, { org_id })
  if (read.error?.status === 404) return <Expired what="order" />
  return (
    <Loaded read={read} what="the order">
      {(details) => (
        <>
          <Section title="Why this score">
            <OrderExplanation details={details} />
          </Section>
          <Section title="Order" actions={<PageLink to={`/orders/${id}`}>Open order</PageLink>}>
            <OrderFacts details={details} />
          </Section>
          <Section title="Location">
            <OrderMap details={details} />
          </Section>
        </>
      )}
    </Loaded>
  )
}

function OrderFacts({ details: { order, device, actions } }: { details: Answer<OrderDetails> }) {
  const place = [order.location_name, order.location_city, order.location_country]
  return (
    <Facts
      facts={[
        ['Amount', amountText(order.amount_cents, order.currency)],
        [
          'Profile',
          order.profile_id === null ? (
            'anonymous'
          ) : (
            <PageLink to={`/orders/profiles/${order.profile_id}`}>{order.external_id}</PageLink>
          ),
        ],
        ['Payment method', order.payment_method],
        ['Store', place.filter((part) => part !== null).join(', ') || null],
        ['Ordered', <Time at={order.ordered_at} />],
        ['Received', <Time at={order.created_at} />],
        ['Type', order.order_type],
        device !== null && [
          'Device',
          `${device.fingerprint_hash}, used by ${countText(device.profiles, 'profiles')}`,
        ],
        actions.length > 0 && ['Cashier actions', String(actions.length)],
      ]}
    />
  )
}

function CashierAction({ id }: { id: string }) {
  const { id: org_id } = useOrg()
  const read = useRead<ExplainedCashierAction>(`/console/api/cashiers/actions/${id}`, { org_id })
  if (read.error?.status === 404) return <Expired what="cashier action" />
  return (
    <Loaded read={read} what="the cashier action">
      {(details) => (
        <>
          <Section title="Why this score">
            <CashierExplanation details={details} />
          </Section>
          <Section
            title="Cashier action"
            actions={<PageLink to={`/cashiers/actions/${details.action.id}`}>Open action</PageLink>}
          >
            <CashierActionFacts details={details} />
          </Section>
        </>
      )}
    </Loaded>
  )
}
