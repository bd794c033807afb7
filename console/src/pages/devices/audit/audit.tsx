/** Everything that people, Vigil and the provider did to devices, and the reports as CSV. */
import type { AuditEntry, AuditLogPage } from '../../../../../src/modules/mdm/audit/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  Empty,
  Pager,
  Section,
  SelectField,
  Shown,
  Table,
  Toolbar,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { Line, When } from '../line.tsx'
import { type Names, useNames } from '../names.ts'
import { shortId, words } from '../words.ts'
import { ACTIONS } from './actions.ts'
import { Actor, Changes } from './changes.tsx'
import { Reports } from './reports.tsx'

const NO_FILTERS = { action: '', page: '1' }
const PAGE_ROWS = 50
const OPTIONS = [
  { value: '', label: 'All actions' },
  ...Object.keys(ACTIONS).map((action) => ({ value: action, label: action })),
]

export default function AuditPage() {
  const { id: org_id } = useOrg()
  const [filters, setFilters] = useFilters(NO_FILTERS)
  const page = Math.max(1, Math.trunc(Number(filters.page)) || 1)
  const read = useRead<AuditLogPage>(
    '/v1/mdm/audit-log',
    { org_id, action: filters.action, page, limit: PAGE_ROWS },
    { keep: true },
  )
  return (
    <DevicesPage
      title="Audit log"
      lead="Entries are never changed or deleted, also when their device is."
    >
      <Reports action={filters.action} />
      <Toolbar label="Filters of the audit log">
        <SelectField
          label="Action"
          value={filters.action}
          options={OPTIONS}
          onChange={(action) => setFilters({ action, page: '1' })}
        />
      </Toolbar>
      <Section title="Entries" hideTitle>
        <Shown read={read} what="the audit log">
          {({ entries, pagination }) =>
            pagination.total === 0 ? (
              <Empty
                title={filters.action === '' ? 'Nothing was done yet' : 'No such action yet'}
              />
            ) : (
              <>
                <Entries entries={entries} />
                <Pager
                  pagination={pagination}
                  what="entries"
                  onPage={(next) => setFilters({ page: String(next) })}
                />
              </>
            )
          }
        </Shown>
      </Section>
    </DevicesPage>
  )
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const names = useNames()
  return (
    <Table
      label="Entries of the audit log"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Time', cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Action',
          cell: ({ action }) => (
            <>
              <Line>{ACTIONS[action] ?? action}</Line>
              <div class="muted">
                <code>{action}</code>
              </div>
            </>
          ),
        },
        { label: 'By', cell: (entry) => <Actor entry={entry} /> },
        { label: 'Of', cell: (entry) => <Target entry={entry} names={names} /> },
        { label: 'Changes', isWide: true, cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  )
}

function Target({ entry, names }: { entry: AuditEntry; names: Names }) {
  const { target_type, target_id } = entry
  if (target_id === null) return <>{words(target_type)}</>
  if (target_type === 'device') {
    return (
      <PageLink to={`/devices/fleet/${target_id}`}>
        <Line>device {shortId(target_id)}</Line>
      </PageLink>
    )
  }
  if (target_type === 'policy') {
    return <PageLink to={`/devices/policies/${target_id}`}>{names.policy(target_id)}</PageLink>
  }
  if (target_type === 'group') {
    return <PageLink to={`/devices/groups/${target_id}`}>{names.group(target_id)}</PageLink>
  }
  return (
    <span title={target_id}>
      <Line>
        {words(target_type)} {shortId(target_id)}
      </Line>
    </span>
  )
}
