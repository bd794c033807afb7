import { useState } from 'preact/hooks'
import type { CheckDetails } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useItem } from '../../api/read.ts'
import {
  Copyable,
  DetailPage,
  Form,
  FormActions,
  RiskScore,
  Section,
  SelectField,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { CheckResult } from './result.tsx'

const OUTCOMES = [
  { value: 'fraud', label: 'Fraud' },
  { value: 'sim_swap_fraud', label: 'SIM swap fraud' },
  { value: 'account_takeover', label: 'Account takeover' },
  { value: 'spam', label: 'Spam' },
  { value: 'bot', label: 'Bot' },
  { value: 'legitimate', label: 'Legitimate' },
] as const
type Outcome = (typeof OUTCOMES)[number]['value']

export default function CheckPage() {
  const read = useItem<Answer<CheckDetails>>('/console/api/checks')
  return (
    <DetailPage
      read={read}
      what="check"
      title={({ request }) => request.email ?? request.phone ?? 'Check'}
      up={{ to: '/checks', label: 'Checks' }}
      lead={({ id: check_id, risk_score, risk_level, created_at }) => (
        <span class="row">
          <RiskScore score={risk_score} level={risk_level} />
          <Time at={created_at} />
          <Copyable text={check_id} label="Copy check ID" />
        </span>
      )}
    >
      {(details) => (
        <>
          <CheckResult details={details} />
          {details.request.phone !== null && (
            <PhoneReport id={details.id} phone={details.request.phone} />
          )}
        </>
      )}
    </DetailPage>
  )
}

function PhoneReport({ id, phone }: { id: string; phone: string }) {
  const { id: org_id } = useOrg()
  const [outcome, setOutcome] = useState<Outcome>('fraud')
  const report = useChange<Outcome>(
    (chosen) => ({
      method: 'POST',
      path: `/console/api/checks/${id}/phone-report`,
      body: { org_id, outcome: chosen },
    }),
    { toast: 'Outcome reported', quiet: true },
  )
  return (
    <Section title="Report the outcome for this number">
      <Form onSubmit={() => report.mutate(outcome)} error={report.error}>
        <SelectField
          label="Outcome"
          name="outcome"
          hint={`Used in future checks of ${phone}. Repeating a report has no effect.`}
          value={outcome}
          options={OUTCOMES}
          onChange={setOutcome}
        />
        <FormActions kind="plain" busy={report.isPending}>
          Report outcome
        </FormActions>
      </Form>
    </Section>
  )
}
