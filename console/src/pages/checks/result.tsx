import type { CheckDetails } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Adjustments } from '../../components/adjustments.tsx'
import {
  Badge,
  Columns,
  capitalized,
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
        <Explanation details={details} />
        <NotCounted {...details.explanation} />
        <DataSources />
      </div>
      <div>
        <RequestFacts details={details} />
        {details.phone && <PhoneFacts phone={details.phone} />}
      </div>
    </Columns>
  )
}

/** The license of the country data requires this link on pages that show results of it. */
const DataSources = () => (
  <p class="muted">
    <a href="https://db-ip.com" rel="noreferrer" target="_blank">
      IP Geolocation by DB-IP
    </a>
    , networks by{' '}
    <a href="https://www.routeviews.org" rel="noreferrer" target="_blank">
      Route Views
    </a>{' '}
    and{' '}
    <a href="https://www.nro.net" rel="noreferrer" target="_blank">
      NRO
    </a>{' '}
    (
    <a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer" target="_blank">
      CC BY 4.0
    </a>
    , changed)
  </p>
)

function Explanation({ details: { explanation, risk_level } }: { details: Details }) {
  const { risk_score, parts, floor, adjustments, shadows } = explanation
  return (
    <Section title="Why this score" actions={<RiskScore score={risk_score} level={risk_level} />}>
      {parts.length === 0 && !floor ? (
        <p>No findings.</p>
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
      <Adjustments adjustments={adjustments} shadows={shadows} />
    </Section>
  )
}

function Findings({ findings }: { findings: Part['findings'] }) {
  return (
    <ul class={styles['findings']}>
      {findings.map(({ finding, detail, strength, counts }) => (
        <li key={`${finding} ${detail}`} class={counts ? undefined : 'muted'}>
          {sentence(detail)} <code class="muted">{finding}</code>{' '}
          {!counts &&
            (strength > 0
              ? `(strength ${strength}; only the strongest finding counts)`
              : '(no points)')}
        </li>
      ))}
    </ul>
  )
}

function NotCounted({ unknowns, silent }: Details['explanation']) {
  if (unknowns.length === 0 && silent.length === 0) return null
  return (
    <Section title="Not included in the score">
      <div class="stack">
        {unknowns.length > 0 && (
          <>
            <h3>Unknown</h3>
            <ul class={styles['findings']}>
              {unknowns.map(({ what, why, is_unavailable }) => (
                <li key={what} class="muted">
                  {what}: {lowered(why)}. {is_unavailable && <Badge>look-up unavailable</Badge>}
                </li>
              ))}
            </ul>
          </>
        )}
        {silent.length > 0 && (
          <>
            <h3>Checked without findings</h3>
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

function RequestFacts({ details: { request, mode, credits_used } }: { details: Details }) {
  return (
    <Section title="Request">
      <div class="stack">
        <Facts
          facts={[
            ['E-mail', request.email],
            ['Phone', request.phone],
            ['Event type', request.event_type],
            ['Event ID', request.event_id],
            ['Mode', mode],
            ['Credits', credits_used],
          ]}
        />
        <Json label="Device" value={request.device} />
        <Json label="Behavior" value={request.behavior} />
        <Json label="Metadata" value={request.metadata} />
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
  const { recent_sim_swap, sim_swap_date } = phone
  return (
    <Section title="Phone number">
      <Facts
        facts={[
          ['Assigned', phone.is_valid ? 'yes' : 'no'],
          ['Country', phone.country_code],
          ['Line type', phone.line_type],
          ['Carrier', phone.carrier],
          ['SIM swap', recent_sim_swap ? dated('recent', sim_swap_date) : 'none known recently'],
          ['Ported', phone.ported ? dated('yes', phone.ported_date) : 'not known'],
        ]}
      />
    </Section>
  )
}

const dated = (text: string, date: string | null): string =>
  date === null ? text : `${text}, ${date.slice(0, 10)}`

/** Details may or may not end with a period. */
const sentence = (text: string): string => `${capitalized(text).replace(/\.$/, '')}.`

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
