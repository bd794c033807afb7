/** The newest orders of the customer of a case, with those of the case marked. */
import type { OrderListItem, OrderPage } from '../../../../src/modules/orders/reading/schema.ts'
import type { CaseDetails } from '../../../../src/modules/reviews/cases/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import { DecisionBadge } from '../../components/decisions.tsx'
import {
  amountText,
  Badge,
  Loaded,
  RiskScore,
  Section,
  Table,
  Time,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { shortName } from './case-text.ts'

const SHOWN_MAX = 25

type Props = { customer: string; items: CaseDetails['items'] }

export function Timeline({ customer, items }: Props) {
  const query = { ...useScope(), external_id: customer, limit: String(SHOWN_MAX) }
  const read = useRead<Answer<OrderPage>>('/console/api/orders', query)
  const inCase = new Set(items.map(({ subject_id }) => subject_id))
  return (
    <Section title={`Newest orders of ${shortName(customer)}`}>
      <Loaded read={read} what="the orders of the customer">
        {({ orders }) => (
          <Table
            label="Orders of the customer"
            rows={orders}
            keyOf={({ id }) => id}
            isCurrent={({ id }) => inCase.has(id)}
            columns={[
              { label: 'Ordered', cell: ({ ordered_at }) => <Time at={ordered_at} as="age" /> },
              {
                label: 'Order',
                cell: ({ id, external_order_id }) => (
                  <PageLink to={`/orders/${id}`}>{shortName(external_order_id)}</PageLink>
                ),
              },
              {
                label: 'Score',
                cell: ({ risk_score, risk_level }) => (
                  <RiskScore score={risk_score} level={risk_level} />
                ),
              },
              {
                label: 'Amount',
                isNumber: true,
                cell: ({ amount_cents, currency }) => amountText(amount_cents, currency),
              },
              { label: 'Place', cell: placeOf },
              {
                label: 'Case and decision',
                cell: ({ id, decision }) => (
                  <>
                    {inCase.has(id) && <Badge>in this case</Badge>}{' '}
                    {decision && <DecisionBadge decision={decision} />}
                  </>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const placeOf = ({ location_city, location_country }: Answer<OrderListItem>): string =>
  [location_city, location_country].filter((part) => part !== null).join(', ')
