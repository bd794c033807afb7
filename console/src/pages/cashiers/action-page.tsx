/** One cashier action: why it got its score, what it was about, and what was decided. */
import { useParams } from 'wouter'
import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { CashierActionFacts, CashierExplanation } from '../../components/cashier/explanation.tsx'
import { wordsOf } from '../../components/cashier/words.ts'
import { Badge, Columns, Page, RiskScore, Section, Shown, Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'

export default function ActionPage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const read = useRead<ExplainedCashierAction>(
    `/console/api/cashiers/actions/${encodeURIComponent(id)}`,
    { org_id },
  )
  const action = read.data?.action
  return (
    <Page
      title={
        action
          ? `${titleOf(action.action_type)} by ${action.cashier_external_id}`
          : 'Cashier action'
      }
      up={{ to: '/cashiers/actions', label: 'Cashier actions' }}
      lead={
        action && (
          <span class="row">
            <RiskScore score={action.risk_score} level={action.risk_level} />
            {action.mode === 'test' && <Badge tone="warn">test</Badge>}
            {action.flags.map((flag) => (
              <Badge key={flag} tone="warn">
                {wordsOf(flag)}
              </Badge>
            ))}
            <Time at={action.performed_at} />
          </span>
        )
      }
    >
      <Shown read={read} what="the cashier action">
        {(details) => (
          <Columns>
            <Section title="Why this score">
              <CashierExplanation score={details.action.risk_score} signals={details.signals} />
            </Section>
            <div>
              <Section title="Cashier action">
                <CashierActionFacts details={details} />
              </Section>
              <Section title="Review">
                <Review details={details} />
              </Section>
            </div>
          </Columns>
        )}
      </Shown>
    </Page>
  )
}

function Review({
  details: { review_id, decisions, people },
}: {
  details: ExplainedCashierAction
}) {
  if (review_id === null) {
    return <p class="muted">It raised no flag, so it is not in the review queue.</p>
  }
  return (
    <div class="stack">
      {decisions.map(({ decision, decided_at, decided_by, note }) => (
        <div key={decided_at}>
          <Badge tone={decision === 'legitimate' ? 'good' : 'bad'}>
            {decision === 'legitimate' ? 'legitimate' : 'fraud'}
          </Badge>{' '}
          <Time at={decided_at} />, {people[decided_by] ?? 'not a member of today'}
          {note !== null && <p>{note}</p>}
        </div>
      ))}
      <p>
        <PageLink to="/reviews" query={{ state: 'all', review: review_id }}>
          {decisions.length === 0 ? 'Decide in the review queue' : 'Change in the review queue'}
        </PageLink>
      </p>
    </div>
  )
}

function titleOf(actionType: string): string {
  const words = wordsOf(actionType)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
