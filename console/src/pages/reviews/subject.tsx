/** What the review is about: the order or the cashier action, and why it got its score. */
import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import { CashierActionFacts, CashierExplanation } from '../../components/cashier/explanation.tsx'
import { amountText, Empty, Facts, Section, Shown, Time } from '../../components/index.ts'
import { OrderExplanation } from '../../components/order/explanation.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'

export function ReviewSubject({ review }: { review: ReviewItem }) {
  return review.subject === 'cashier_action' ? (
    <CashierAction id={review.subject_id} />
  ) : (
    <Order id={review.subject_id} />
  )
}

/** Where the order or action is read from. */
export const subjectPath = ({ subject, subject_id }: ReviewItem): string =>
  subject === 'cashier_action'
    ? `/console/api/cashiers/actions/${subject_id}`
    : `/console/api/orders/${subject_id}`

function NotKept({ what }: { what: string }) {
  return (
    <Section title="No longer kept">
      <Empty title={`The ${what} is no longer kept`}>
        <p>
          It was deleted as old. What it was flagged for is above; it cannot be decided any more.
        </p>
      </Empty>
    </Section>
  )
}

function Order({ id }: { id: string }) {
  const { id: org_id } = useOrg()
  const read = useRead<Answer<OrderDetails>>(`/console/api/orders/${id}`, { org_id })
  if (read.error?.status === 404) return <NotKept what="order" />
  return (
    <Shown read={read} what="the order">
      {(details) => (
        <>
          <Section title="Why this score">
            <OrderExplanation
              score={details.order.risk_score}
              signals={details.signals}
              is_of_new_organization={details.is_of_new_organization}
            />
          </Section>
          <Section title="Order" actions={<PageLink to={`/orders/${id}`}>Open the order</PageLink>}>
            <OrderFacts details={details} />
          </Section>
        </>
      )}
    </Shown>
  )
}

function OrderFacts({ details: { order, device, actions } }: { details: Answer<OrderDetails> }) {
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
        ['Payment', order.payment_method],
        [
          'Place',
          [order.location_name, order.location_city, order.location_country]
            .filter((part) => part !== null)
            .join(', ') || null,
        ],
        ['Ordered', <Time key="ordered" at={order.ordered_at} />],
        ['Received', <Time key="received" at={order.created_at} />],
        ['Type', order.order_type],
        device !== null && [
          'Device',
          `${device.fingerprint_hash}, used by ${device.profiles} ${device.profiles === 1 ? 'profile' : 'profiles'}`,
        ],
        actions.length > 0 && ['Cashier actions', String(actions.length)],
      ]}
    />
  )
}

function CashierAction({ id }: { id: string }) {
  const { id: org_id } = useOrg()
  const read = useRead<ExplainedCashierAction>(`/console/api/cashiers/actions/${id}`, { org_id })
  if (read.error?.status === 404) return <NotKept what="cashier action" />
  return (
    <Shown read={read} what="the cashier action">
      {(details) => (
        <>
          <Section title="Why this score">
            <CashierExplanation score={details.action.risk_score} signals={details.signals} />
          </Section>
          <Section
            title="Cashier action"
            actions={
              <PageLink to={`/cashiers/actions/${details.action.id}`}>Open the action</PageLink>
            }
          >
            <CashierActionFacts details={details} />
          </Section>
        </>
      )}
    </Shown>
  )
}
