/** One check with the reasons for its score, as it is read by somebody who has to explain it. */
import type { CheckDetails } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Badge,
  Columns,
  Facts,
  JsonBlock,
  RiskScore,
  ScoreParts,
  Section,
} from '../../components/index.ts'
import styles from './checks.module.css'
import { signalName } from './names.ts'

type Details = Answer<CheckDetails>
type Part = Details['explanation']['parts'][number]

export function CheckResult({ details }: { details: Details }) {
  return (
    <Columns wide>
      <div>
        <Explanation explanation={details.explanation} level={details.risk_level} />
        <NotCounted explanation={details.explanation} />
      </div>
      <div>
        <Asked details={details} />
        {details.phone && <PhoneFacts phone={details.phone} />}
      </div>
    </Columns>
  )
}

function Explanation({
  explanation,
  level,
}: {
  explanation: Details['explanation']
  level: Details['risk_level']
}) {
  const { risk_score, parts, floor } = explanation
  return (
    <Section title="Why this score" actions={<RiskScore score={risk_score} level={level} />}>
      {parts.length === 0 && !floor ? (
        <p>Nothing speaks against it.</p>
      ) : (
        <ScoreParts
          score={risk_score}
          floor={floor}
          parts={parts.map((part) => ({
            ...part,
            name: signalName(part.signal),
            children: <Findings findings={part.findings} />,
          }))}
        />
      )}
    </Section>
  )
}

function Findings({ findings }: { findings: Part['findings'] }) {
  return (
    <ul class={styles['findings']}>
      {findings.map(({ finding, detail, strength, counts }) => (
        <li key={`${finding} ${detail}`} class={counts ? undefined : 'muted'}>
          {sentence(detail)} <code class="muted">{finding}</code>{' '}
          {counts ? null : (
            <span>
              (
              {strength > 0
                ? `strength ${strength}, the strongest finding counts`
                : 'counts nothing'}
              )
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function NotCounted({
  explanation: { unknowns, silent },
}: {
  explanation: Details['explanation']
}) {
  if (unknowns.length === 0 && silent.length === 0) return null
  return (
    <Section title="What counted nothing">
      <div class="stack">
        {unknowns.length > 0 && (
          <>
            <h3>Not known</h3>
            <ul class={styles['findings']}>
              {unknowns.map(({ what, why, is_away }) => (
                <li key={what} class="muted">
                  {what}: {lowered(why)}. {is_away && <Badge>look-up away</Badge>}
                </li>
              ))}
            </ul>
          </>
        )}
        {silent.length > 0 && (
          <>
            <h3>Looked at, and in order</h3>
            <ul class={styles['findings']}>
              {silent.map(({ signal, finding, detail }) => (
                <li key={`${signal} ${finding}`} class="muted">
                  {signalName(signal)}: {sentence(detail)} <code>{finding}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Section>
  )
}

function Asked({ details: { asked, mode, credits_used } }: { details: Details }) {
  return (
    <Section title="What was asked">
      <div class="stack">
        <Facts
          facts={[
            ['E-mail', asked.email],
            ['Phone', asked.phone],
            ['Event type', asked.event_type],
            ['Event ID', asked.event_id],
            ['Mode', mode],
            ['Credits', credits_used],
          ]}
        />
        <Json label="Device" value={asked.device} />
        <Json label="Behaviour" value={asked.behavior} />
        <Json label="Metadata" value={asked.metadata} />
      </div>
    </Section>
  )
}

const Json = ({ label, value }: { label: string; value: object | null }) =>
  value === null ? null : (
    <div>
      <h3>{label}</h3>
      <JsonBlock label={label} value={value} />
    </div>
  )

function PhoneFacts({ phone }: { phone: NonNullable<Details['phone']> }) {
  return (
    <Section title="The phone number">
      <Facts
        facts={[
          ['Assigned', phone.is_valid ? 'yes' : 'no'],
          ['Country', phone.country_code],
          ['Line', phone.line_type],
          ['Carrier', phone.carrier],
          [
            'SIM swap',
            phone.recent_sim_swap ? dated('recent', phone.sim_swap_date) : 'none recent known',
          ],
          ['Ported', phone.ported ? dated('yes', phone.ported_date) : 'not known to be'],
        ]}
      />
    </Section>
  )
}

const dated = (text: string, date: string | null): string =>
  date === null ? text : `${text}, ${date.slice(0, 10)}`

/** Details begin as they come and end with or without a full stop. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
