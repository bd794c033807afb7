/** How the fleet stands: devices by state, compliance and mode, and the enterprise that holds them. */
import type { MdmStanding } from '../../../../src/modules/mdm/browsing/schema.ts'
import type { Overview } from '../../../../src/modules/mdm/overview/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Bar,
  Columns,
  Empty,
  numberText,
  percentText,
  Section,
  Shown,
  Stat,
  Stats,
  Table,
  type Tone,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { EnterpriseSection } from './enterprise/section.tsx'
import { DevicesPage } from './frame.tsx'
import { COMPLIANCE_STATES, DEVICE_STATES, MODES, words } from './words.ts'

const REFRESH_MS = 15_000

export default function OverviewPage() {
  const { id: org_id } = useOrg()
  const overview = useRead<Overview>('/v1/mdm/overview', { org_id }, { refresh_ms: REFRESH_MS })
  const standing = useRead<MdmStanding>(
    '/console/api/mdm/standing',
    { org_id },
    { refresh_ms: REFRESH_MS },
  )
  return (
    <DevicesPage title="Managed devices">
      <EnterpriseSection standing={standing} shown="missing" />
      <Shown read={overview} what="the overview">
        {(counts) =>
          counts.total_devices === 0 ? (
            <Section title="Devices">
              <Empty title="No devices yet">
                <p>
                  Write a <PageLink to="/devices/policies">policy</PageLink>, make an{' '}
                  <PageLink to="/devices/tokens">enrolment token</PageLink> for it, and hold a new
                  phone before its QR code.
                </p>
              </Empty>
            </Section>
          ) : (
            <Counts counts={counts} />
          )
        }
      </Shown>
      <Shown read={standing} what="the numbers">
        {(numbers) => <Numbers standing={numbers} />}
      </Shown>
      <EnterpriseSection standing={standing} shown="there" />
    </DevicesPage>
  )
}

function Counts({ counts }: { counts: Overview }) {
  const { total_devices, active_devices, provisioning_devices, non_compliant_devices } = counts
  return (
    <Section title="Devices" hideTitle>
      <Stats>
        <Stat label="Devices" value={numberText(total_devices)} note="without deleted ones" />
        <Stat label="Active" value={numberText(active_devices)} />
        <Stat label="Provisioning" value={numberText(provisioning_devices)} />
        <Stat
          label="Non-compliant"
          value={numberText(non_compliant_devices)}
          note={percentText(non_compliant_devices / total_devices)}
        />
      </Stats>
    </Section>
  )
}

type Row = { term: string; value: number; tone: Tone; query: Record<string, string> }

function Numbers({ standing }: { standing: MdmStanding }) {
  const { by_state, by_compliance, by_mode } = standing
  const live = Object.values(by_mode).reduce((sum, value) => sum + value, 0)
  if (live + by_state.deleted === 0) return null
  return (
    <Columns>
      <Section title="By compliance">
        <Share
          label="Devices by compliance"
          total={live}
          rows={rowsOf(by_compliance, 'compliance', COMPLIANCE_STATES)}
        />
      </Section>
      <Section title="By state">
        <Share
          label="Devices by state"
          total={live}
          rows={rowsOf(by_state, 'state', DEVICE_STATES).filter(({ value }) => value > 0)}
        />
      </Section>
      <Section title="By mode">
        <Share
          label="Devices by mode"
          total={live}
          rows={MODES.map(({ value: mode }) => ({
            term: mode,
            value: by_mode[mode],
            tone: 'info',
            query: { mode },
          }))}
        />
      </Section>
    </Columns>
  )
}

const rowsOf = <Term extends string>(
  counts: Record<Term, number>,
  filter: string,
  tones: Record<Term, Tone>,
): Row[] =>
  (Object.keys(tones) as Term[]).map((term) => ({
    term,
    value: counts[term],
    tone: tones[term],
    query: { [filter]: term },
  }))

function Share({ label, total, rows }: { label: string; total: number; rows: readonly Row[] }) {
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ term }) => term}
      columns={[
        {
          label: 'Devices that are',
          cell: ({ term, query }) => (
            <PageLink to="/devices/fleet" query={query}>
              {words(term)}
            </PageLink>
          ),
        },
        { label: 'Number', isNumber: true, cell: ({ value }) => numberText(value) },
        {
          label: 'Share',
          cell: ({ term, value, tone }) =>
            term === 'deleted' ? (
              <span class="muted">not counted</span>
            ) : (
              <Bar
                label={`${words(term)}: ${percentText(total === 0 ? null : value / total)}`}
                value={value}
                max={total}
                tone={tone}
              />
            ),
        },
      ]}
    />
  )
}
