/** Runs a check as the API does, and shows the result with its reasons. */
import type { CheckDetails, CheckSandbox } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import type { RiskLevel } from '../../components/badge.tsx'
import {
  Actions,
  Button,
  Columns,
  Form,
  Loaded,
  Notice,
  Page,
  RiskScore,
  Section,
  SelectField,
  TextField,
  useFields,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg, useScope } from '../../shell/organization.ts'
import styles from './checks.module.css'
import { CheckResult } from './result.tsx'

const EMPTY_FORM = { email: '', phone: '', device: '', event_type: '', event_id: '' }
type CheckForm = typeof EMPTY_FORM
const EVENT_TYPES = ['signup', 'login', 'checkout', 'payment', 'kyc', 'withdrawal', 'transfer']

export default function RunCheck() {
  const scope = useScope()
  const { mode } = scope
  const { values: form, set, field } = useFields(EMPTY_FORM)
  const check = useChange<CheckForm, Answer<CheckDetails>>(
    (input) => ({ method: 'POST', path: '/console/api/checks', body: bodyOf(scope, input) }),
    { invalidates: ['/console/api/checks', '/console/api/credits'], quiet: true },
  )
  return (
    <Page
      title="Run a check"
      up={{ to: '/checks', label: 'Checks' }}
      lead={
        mode === 'test'
          ? 'Test mode: free, with test values that return fixed results'
          : 'Live mode: real look-ups, charged like any other check'
      }
    >
      <Columns wide>
        <Section title="Check">
          <Form onSubmit={() => check.mutate(form)} error={check.error}>
            {mode === 'live' && (
              <Notice tone="warn">
                A live check costs credits, like a check through the API. Switch to test data at the
                top to run one for free.
              </Notice>
            )}
            <CheckFields field={field} />
            <Actions>
              <Button type="submit" kind="primary" busy={check.isPending}>
                {mode === 'live' ? 'Run live check' : 'Run test check'}
              </Button>
              <Button onClick={() => set(EMPTY_FORM)}>Clear</Button>
            </Actions>
          </Form>
        </Section>
        {mode === 'test' ? <SandboxValues onChoose={set} /> : <div />}
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

function CheckFields({ field }: Pick<ReturnType<typeof useFields<CheckForm>>, 'field'>) {
  return (
    <div class={styles['pair']}>
      <TextField
        label="E-mail"
        {...field('email')}
        autocomplete="off"
        hint="At least one of e-mail, phone and device is required"
      />
      <TextField
        label="Phone"
        {...field('phone')}
        autocomplete="off"
        hint="With country code: +12025550104"
      />
      <TextField label="Device" {...field('device')} hint="Fingerprint hash" />
      <SelectField
        label="Event type"
        {...field('event_type')}
        options={[{ value: '', label: 'None' }, ...EVENT_TYPES]}
      />
      <TextField
        label="Event ID"
        {...field('event_id')}
        hint="Repeating an event ID returns the stored result"
      />
    </div>
  )
}

function SandboxValues({ onChoose }: { onChoose: (changed: Partial<CheckForm>) => void }) {
  const { id: org_id } = useOrg()
  const read = useRead<Answer<CheckSandbox>>('/console/api/checks/sandbox', { org_id })
  return (
    <Section title="Test values">
      <Loaded read={read} what="test values">
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
      </Loaded>
    </Section>
  )
}

type ValueProps = {
  text: string
  description: string
  risk_score: number | null
  risk_level: RiskLevel | null
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

/** Leaves out empty fields. */
function bodyOf(scope: object, { device, ...texts }: CheckForm): object {
  const filled = Object.entries(texts)
    .map(([name, text]) => [name, text.trim()])
    .filter(([, text]) => text !== '')
  return {
    ...scope,
    ...(Object.fromEntries(filled) as Partial<CheckForm>),
    ...(device !== '' && { device: { fingerprint_hash: device } }),
  }
}
