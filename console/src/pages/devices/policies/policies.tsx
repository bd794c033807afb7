/** The policies of the organisation, and how far each is brought to the provider. */
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Empty, numberText, Section, Shown, Table } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { Line, When } from '../line.tsx'
import { PublishState } from '../states.tsx'
import { words } from '../words.ts'

const REFRESH_MS = 10_000

export default function PoliciesPage() {
  const { id: org_id, is_admin } = useOrg()
  const policies = useRead<Policy[]>('/v1/mdm/policies', { org_id }, { refresh_ms: REFRESH_MS })
  return (
    <DevicesPage
      title="Policies"
      lead="Policies of the Android Management API. Devices get each version that the provider takes."
      actions={
        is_admin && (
          <PageLink to="/devices/policies/new" class="button button-primary">
            New policy
          </PageLink>
        )
      }
    >
      <Section title="Policies" hideTitle>
        <Shown read={policies} what="policies">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No policies yet">
                <p>A policy says what a device may do. Enrolment tokens and groups refer to it.</p>
              </Empty>
            ) : (
              <PolicyTable policies={list} />
            )
          }
        </Shown>
      </Section>
    </DevicesPage>
  )
}

function PolicyTable({ policies }: { policies: readonly Policy[] }) {
  return (
    <Table
      label="Policies"
      rows={policies}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Name',
          isWide: true,
          cell: ({ id, name, description }) => (
            <>
              <PageLink to={`/devices/policies/${id}`}>{name}</PageLink>
              {description !== '' && <div class="muted">{description}</div>}
            </>
          ),
        },
        { label: 'Mode', cell: ({ management_mode }) => <Line>{words(management_mode)}</Line> },
        { label: 'Version', isNumber: true, cell: ({ version }) => numberText(version) },
        {
          label: 'Published',
          cell: ({ publish_state, publish_error }) => (
            <>
              <PublishState publish_state={publish_state} />
              {publish_error !== null && <div class="form-fault">{publish_error}</div>}
            </>
          ),
        },
        {
          label: 'Members',
          isNumber: true,
          cell: ({ policy_json }) => numberText(Object.keys(policy_json).length),
        },
        { label: 'Changed', cell: ({ updated_at }) => <When at={updated_at} /> },
        {
          label: 'Devices',
          cell: ({ id }) => (
            <PageLink to="/devices/fleet" query={{ policy_id: id }}>
              <Line>Show devices</Line>
            </PageLink>
          ),
        },
      ]}
    />
  )
}
