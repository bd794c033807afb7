import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import { useItem } from '../../api/read.ts'
import { CashierActionFacts, CashierExplanation } from '../../components/cashier/explanation.tsx'
import { DecisionList } from '../../components/decisions.tsx'
import {
  Badge,
  Columns,
  capitalized,
  DetailPage,
  Flags,
  RiskScore,
  Section,
  Time,
  wordsOf,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'

export default function ActionPage() {
  const read = useItem<ExplainedCashierAction>('/console/api/cashiers/actions')
  return (
    <DetailPage
      read={read}
      what="cashier action"
      title={({ action }) =>
        `${capitalized(wordsOf(action.action_type))} by ${action.cashier_external_id}`
      }
      up={{ to: '/cashiers/actions', label: 'Cashier actions' }}
      lead={({ action }) => (
        <span class="row">
          <RiskScore score={action.risk_score} level={action.risk_level} />
          {action.mode === 'test' && <Badge tone="warn">test</Badge>}
          <Flags flags={action.flags} />
          <Time at={action.performed_at} />
        </span>
      )}
    >
      {(details) => (
        <Columns>
          <Section title="Why this score">
            <CashierExplanation details={details} />
          </Section>
          <div>
            <Section title="Cashier action">
              <CashierActionFacts details={details} />
            </Section>
            <Section title="Review">
              <Review {...details} />
            </Section>
          </div>
        </Columns>
      )}
    </DetailPage>
  )
}

function Review({ review_id, decisions, people }: ExplainedCashierAction) {
  if (review_id === null) {
    return <p class="muted">This action has no flags, so it is not in the review queue.</p>
  }
  return (
    <div class="stack">
      <DecisionList
        decisions={decisions}
        nameOf={({ decided_by }) => people[decided_by] ?? 'a former member'}
      />
      <p>
        <PageLink to="/reviews" query={{ state: 'all', review: review_id }}>
          {decisions.length === 0 ? 'Decide in the review queue' : 'Change in the review queue'}
        </PageLink>
      </p>
    </div>
  )
}
