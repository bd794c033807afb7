import type { MdmStatus } from '../../../../src/modules/mdm/browsing/schema.ts'
import type { Overview } from '../../../../src/modules/mdm/overview/schema.ts'
import {
  Bar,
  Columns,
  Empty,
  Loaded,
  numberText,
  Page,
  percentText,
  Section,
  Stat,
  Stats,
  Table,
  type Tone,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { EnterpriseSection } from './enterprise/section.tsx'
import { useMdmRead } from './names.ts'
import { DeviceTabs } from './tabs.tsx'
import { COMPLIANCE_STATES, DEVICE_STATES, termText } from './terms.ts'

const OPTIONS = { refresh_ms: 15_000 }

export default function OverviewPage() {
  const overview = useMdmRead<Overview>('/v1/mdm/overview', OPTIONS)
  const status = useMdmRead<MdmStatus>('/console/api/mdm/status', OPTIONS)
  return (
    <Page title="Managed devices">
      <DeviceTabs />
      <EnterpriseSection status={status} when="missing" />
      <Loaded read={overview} what="the overview">
        {(counts) => (counts.total_devices === 0 ? <NoDevices /> : <Counts counts={counts} />)}
      </Loaded>
      <Loaded read={status} what="the statistics">
        {(loaded) => <Statistics status={loaded} />}
      </Loaded>
      <EnterpriseSection status={status} when="connected" />
    </Page>
  )
}

const NoDevices = () => (
  <Section title="Devices">
    <Empty title="No devices yet">
      <p>
        Create a <PageLink to="/devices/policies">policy</PageLink>, create an{' '}
        <PageLink to="/devices/tokens">enrollment token</PageLink> for it, and scan its QR code with
        a new device.
      </p>
    </Empty>
  </Section>
)

function Counts({ counts }: { counts: Overview }) {
  const { total_devices, active_devices, provisioning_devices, non_compliant_devices } = counts
  return (
    <Section title="Devices" hideTitle>
      <Stats>
        <Stat label="Devices" value={numberText(total_devices)} note="excluding deleted devices" />
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

function Statistics({ status }: { status: MdmStatus }) {
  const { by_state, by_compliance, by_mode } = status
  const total = Object.values(by_mode).reduce((sum, value) => sum + value, 0)
  if (total + by_state.deleted === 0) return null
  return (
    <Columns>
      <Shares
        head="Compliance"
        total={total}
        rows={rowsOf(by_compliance, 'compliance', COMPLIANCE_STATES)}
      />
      <Shares
        head="State"
        total={total}
        rows={rowsOf(by_state, 'state', DEVICE_STATES).filter(({ value }) => value > 0)}
      />
      <Shares
        head="Mode"
        total={total}
        rows={rowsOf(by_mode, 'mode', { fully_managed: 'info', work_profile: 'info' })}
      />
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

type SharesProps = { head: string; total: number; rows: readonly Row[] }

const Shares = ({ head, total, rows }: SharesProps) => (
  <Section title={`By ${head.toLowerCase()}`}>
    <Table
      label={`Devices by ${head.toLowerCase()}`}
      rows={rows}
      keyOf={({ term }) => term}
      columns={[
        {
          label: head,
          cell: ({ term, query }) => (
            <PageLink to="/devices/fleet" query={query}>
              {termText(term)}
            </PageLink>
          ),
        },
        { label: 'Devices', isNumber: true, cell: ({ value }) => value },
        {
          label: 'Share',
          cell: ({ term, value, tone }) =>
            term === 'deleted' ? (
              <span class="muted">not counted</span>
            ) : (
              <Bar
                label={`${termText(term)}: ${percentText(total === 0 ? null : value / total)}`}
                value={value}
                max={total}
                tone={tone}
              />
            ),
        },
      ]}
    />
  </Section>
)
