/** Whether the device complies, and what it violates until when. */
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Section, Table, Time } from '../../../components/index.ts'
import { When } from '../line.tsx'
import { Compliance } from '../states.tsx'
import { words } from '../words.ts'

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
              The first of its times ends at <Time at={grace_period_expires_at} />.
            </>
          )}
        </p>
        {non_compliance_details.length > 0 && <Details details={non_compliance_details} />}
      </div>
    </Section>
  )
}

const SENTENCES: Record<Device['compliance_state'], string> = {
  compliant: 'It reports that it complies with its policy.',
  grace_period: 'It violates its policy, and the time to mend that is not over.',
  non_compliant: 'It violates its policy, and the time to mend that is over.',
  unknown: 'There is no status report to tell it from.',
}

function Details({ details }: { details: readonly Detail[] }) {
  return (
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
              {words(reason)}
              {[specific_reason, installation_failure_reason].filter(Boolean).map((each) => (
                <div key={each} class="muted">
                  {words(each ?? '')}
                </div>
              ))}
            </>
          ),
        },
        { label: 'First reported', cell: ({ first_seen_at }) => <When at={first_seen_at} /> },
        {
          label: 'Time to mend ends',
          cell: ({ grace_period_expires_at: ends }) => (
            <>
              <When at={ends} />
              {Date.parse(ends) <= Date.now() && (
                <div>
                  <Badge tone="bad">over</Badge>
                </div>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
