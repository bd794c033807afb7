import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Section, Table, Time } from '../../../components/index.ts'
import { Compliance } from '../states.tsx'
import { termText } from '../terms.ts'

type Detail = Device['non_compliance_details'][number]

export function ComplianceSection({ device }: { device: Device }) {
  const { compliance_state, non_compliance_details, grace_period_expires_at } = device
  return (
    <Section title="Compliance" actions={<Compliance device={device} />}>
      <div class="stack">
        <p>
          {SENTENCES[compliance_state]}
          {grace_period_expires_at !== null && (
            <>
              {' '}
              The first grace period ends at <Time at={grace_period_expires_at} />.
            </>
          )}
        </p>
        {non_compliance_details.length > 0 && <Details details={non_compliance_details} />}
      </div>
    </Section>
  )
}

const SENTENCES: Record<Device['compliance_state'], string> = {
  compliant: 'The device reports that it complies with its policy.',
  grace_period: 'The device violates its policy. The grace period has not ended.',
  non_compliant: 'The device violates its policy, and the grace period has ended.',
  unknown: 'The device has not sent a status report yet.',
}

const Details = ({ details }: { details: readonly Detail[] }) => (
  <Table
    label="Violations"
    rows={details}
    keyOf={({ setting_name, package_name, field_path }) =>
      JSON.stringify([setting_name, package_name, field_path])
    }
    columns={[
      {
        label: 'Setting',
        cell: ({ setting_name, package_name, field_path }) => (
          <>
            <code>{setting_name}</code>
            {[package_name, field_path].filter(Boolean).map((each) => (
              <div key={each} class="muted">
                <code>{each}</code>
              </div>
            ))}
          </>
        ),
      },
      {
        label: 'Reason',
        cell: ({ reason, specific_reason, installation_failure_reason }) => (
          <>
            {termText(reason)}
            {[specific_reason, installation_failure_reason].filter(Boolean).map((each) => (
              <div key={each} class="muted">
                {termText(each ?? '')}
              </div>
            ))}
          </>
        ),
      },
      { label: 'First reported', cell: ({ first_seen_at }) => <Time at={first_seen_at} /> },
      {
        label: 'Grace period ends',
        cell: ({ grace_period_expires_at: ends }) => (
          <>
            <Time at={ends} />
            {Date.parse(ends) <= Date.now() && (
              <div>
                <Badge tone="bad">ended</Badge>
              </div>
            )}
          </>
        ),
      },
    ]}
  />
)
