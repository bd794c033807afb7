/** Tries a check as the API would run it, and shows the result with its reasons at once. */
import { useState } from 'preact/hooks'
import type { CheckDetails, CheckSandbox } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Form,
  Notice,
  Page,
  RiskScore,
  Section,
  SelectField,
  Shown,
  TextField,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './checks.module.css'
import { CheckResult } from './result.tsx'

type Asked = {
  email: string
  phone: string
  fingerprint: string
  event_type: string
  event_id: string
}

const NOTHING: Asked = { email: '', phone: '', fingerprint: '', event_type: '', event_id: '' }
const EVENT_TYPES = ['signup', 'login', 'checkout', 'payment', 'kyc', 'withdrawal', 'transfer']

export default function TryCheck() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [asked, setAsked] = useState(NOTHING)
  const change = (changed: Partial<Asked>) => setAsked((before) => ({ ...before, ...changed }))
  const check = useChange<Asked, Answer<CheckDetails>>(
    (given) => ({ method: 'POST', path: '/console/api/checks', body: bodyOf(org_id, mode, given) }),
    { changes: ['/console/api/checks', '/console/api/credits'], quiet: true },
  )
  return (
    <Page
      title="Try a check"
      up={{ to: '/checks', label: 'Checks' }}
      lead={
        mode === 'test'
          ? 'In test mode: free, with values that have a fixed outcome'
          : 'In live mode: real look-ups at the price of any check'
      }
    >
      <Columns wide>
        <Section title="Check">
          <Form onSubmit={() => check.mutate(asked)} error={check.error}>
            {mode === 'live' && (
              <Notice tone="warn">
                A live check costs credits, like one that the API runs. Choose test data at the top
                to try without.
              </Notice>
            )}
            <CheckFields asked={asked} change={change} />
            <Actions>
              <Button type="submit" kind="primary" busy={check.isPending}>
                {mode === 'live' ? 'Run live check' : 'Run test check'}
              </Button>
              <Button onClick={() => setAsked(NOTHING)}>Clear</Button>
            </Actions>
          </Form>
        </Section>
        {mode === 'test' ? <SandboxValues onChoose={change} /> : <div />}
      </Columns>
      <div aria-live="polite">
        {check.data && !check.isPending && (
          <>
            <p class={`row ${styles['result']}`}>
              <strong>Result</strong>
              <RiskScore score={check.data.risk_score} level={check.data.risk_level} />
              <PageLink to={`/checks/${check.data.id}`}>Open this check</PageLink>
            </p>
            <CheckResult details={check.data} />
          </>
        )}
      </div>
    </Page>
  )
}

function CheckFields({
  asked,
  change,
}: {
  asked: Asked
  change: (changed: Partial<Asked>) => void
}) {
  return (
    <div class={styles['pair']}>
      <TextField
        label="E-mail"
        name="email"
        autocomplete="off"
        hint="At least one of e-mail, phone and device"
        value={asked.email}
        onInput={(email) => change({ email })}
      />
      <TextField
        label="Phone"
        name="phone"
        autocomplete="off"
        hint="With country code: +12025550104"
        value={asked.phone}
        onInput={(phone) => change({ phone })}
      />
      <TextField
        label="Device"
        name="device"
        hint="Hash of its fingerprint"
        value={asked.fingerprint}
        onInput={(fingerprint) => change({ fingerprint })}
      />
      <SelectField
        label="Event type"
        name="event_type"
        value={asked.event_type}
        options={[{ value: '', label: 'None' }, ...EVENT_TYPES]}
        onChange={(event_type) => change({ event_type })}
      />
      <TextField
        label="Event ID"
        name="event_id"
        hint="Sent again, the stored result is answered"
        value={asked.event_id}
        onInput={(event_id) => change({ event_id })}
      />
    </div>
  )
}

function SandboxValues({ onChoose }: { onChoose: (changed: Partial<Asked>) => void }) {
  const { id: org_id } = useOrg()
  const read = useRead<Answer<CheckSandbox>>('/console/api/checks/sandbox', { org_id })
  return (
    <Section title="Values with a fixed outcome">
      <Shown read={read} what="the sandbox">
        {({ emails, phone_numbers }) => (
          <div class={styles['values']}>
            {emails.map(({ email, ...value }) => (
              <Value key={email} text={email} {...value} onChoose={() => onChoose({ email })} />
            ))}
            {phone_numbers.map(({ phone, ...value }) => (
              <Value key={phone} text={phone} {...value} onChoose={() => onChoose({ phone })} />
            ))}
          </div>
        )}
      </Shown>
    </Section>
  )
}

type ValueProps = {
  text: string
  description: string
  risk_score: number | null
  risk_level: 'low' | 'medium' | 'high' | 'critical' | null
  onChoose: () => void
}

function Value({ text, description, risk_score, risk_level, onChoose }: ValueProps) {
  return (
    <button type="button" class={styles['value']} onClick={onChoose}>
      <span>{text}</span>
      {risk_score === null || risk_level === null ? (
        <span class="muted">fails</span>
      ) : (
        <RiskScore score={risk_score} level={risk_level} />
      )}
      <span>{description}</span>
    </button>
  )
}

/** Only what was filled in. */
function bodyOf(org_id: string, mode: 'live' | 'test', asked: Asked): object {
  const { fingerprint, ...texts } = asked
  const given = Object.entries(texts)
    .map(([name, text]) => [name, text.trim()])
    .filter(([, text]) => text !== '')
  return {
    org_id,
    mode,
    ...(Object.fromEntries(given) as Partial<Asked>),
    ...(fingerprint !== '' && { device: { fingerprint_hash: fingerprint } }),
  }
}
