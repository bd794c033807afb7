/** One check: why it got its score, what was asked, and what became of its phone number. */
import { useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { CheckDetails } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  Copyable,
  Form,
  Page,
  RiskScore,
  Section,
  SelectField,
  Shown,
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
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const read = useRead<Answer<CheckDetails>>(`/console/api/checks/${encodeURIComponent(id)}`, {
    org_id,
  })
  const details = read.data
  return (
    <Page
      title={details?.asked.email ?? details?.asked.phone ?? 'Check'}
      up={{ to: '/checks', label: 'Checks' }}
      lead={
        details && (
          <span class="row">
            <RiskScore score={details.risk_score} level={details.risk_level} />
            <Time at={details.created_at} />
            <Copyable text={details.id} label="Copy check ID" />
          </span>
        )
      }
    >
      <Shown read={read} what="the check">
        {(shown) => (
          <>
            <CheckResult details={shown} />
            {shown.asked.phone !== null && <PhoneReport id={shown.id} phone={shown.asked.phone} />}
            {/* Its licence asks for the link where its results are shown. */}
            <p class="muted">
              Countries of addresses:{' '}
              <a href="https://db-ip.com" rel="noreferrer" target="_blank">
                IP Geolocation by DB-IP
              </a>
            </p>
          </>
        )}
      </Shown>
    </Page>
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
    { done: 'Report accepted', quiet: true },
  )
  return (
    <Section title="What became of the number">
      <Form onSubmit={() => report.mutate(outcome)} error={report.error}>
        <SelectField
          label="Outcome"
          name="outcome"
          hint={`Counts in the next checks of ${phone}. The same report counts once.`}
          value={outcome}
          options={OUTCOMES}
          onChange={setOutcome}
        />
        <Actions>
          <Button type="submit" busy={report.isPending}>
            Report
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}
