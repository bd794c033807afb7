import type { AuditEntry, AuditLogPage } from '../../../../../src/modules/mdm/audit/schema.ts'
import { useNumberedRows } from '../../../api/lists.ts'
import { capitalized, ListSection, Page, Time } from '../../../components/index.ts'
import { usePagedFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { type Names, useNames } from '../names.ts'
import { DeviceTabs } from '../tabs.tsx'
import { shortId, termText } from '../terms.ts'
import { ACTIONS } from './actions.ts'
import { Actor, Changes } from './changes.tsx'
import { Reports } from './reports.tsx'

const PAGE_ROWS = 50
const OPTIONS = [
  { value: '', label: 'All actions' },
  ...Object.keys(ACTIONS).map((action) => ({ value: action, label: action })),
]

export default function AuditPage() {
  const { id: org_id } = useOrg()
  const names = useNames()
  const { view, page, setPage } = usePagedFilters({ action: '' })
  const [{ action }] = view
  const { read, list } = useNumberedRows<AuditLogPage, AuditEntry>(
    '/v1/mdm/audit-log',
    { org_id, action },
    { page, limit: PAGE_ROWS, rowsOf: ({ entries }) => entries },
  )
  return (
    <Page
      title="Device audit log"
      lead="Entries are never changed or deleted, even after their device is deleted."
    >
      <DeviceTabs />
      <Reports action={action} />
      <ListSection
        list={list}
        what="audit log entries"
        view={view}
        filters={[{ name: 'action', label: 'Action', options: OPTIONS }]}
        columns={[
          { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            label: 'Actor',
            cell: (entry) => (
              <span class="one-line">
                <Actor entry={entry} />
              </span>
            ),
          },
          {
            label: 'Action',
            cell: ({ action: name }) => (
              <>
                <div>{capitalized(ACTIONS[name] ?? name)}</div>
                <code class="muted">{name}</code>
              </>
            ),
          },
          { label: 'Target', cell: (entry) => <Target entry={entry} names={names} /> },
          { label: 'Changes', isWide: true, cell: (entry) => <Changes entry={entry} /> },
        ]}
        keyOf={({ id }) => id}
        pagination={read.data?.pagination}
        onPage={setPage}
      />
    </Page>
  )
}

function Target({ entry, names }: { entry: AuditEntry; names: Names }) {
  const { target_type, target_id } = entry
  if (target_id === null) return <>{termText(target_type)}</>
  if (target_type === 'device') {
    return <PageLink to={`/devices/fleet/${target_id}`}>device {shortId(target_id)}</PageLink>
  }
  if (target_type === 'policy') {
    return <PageLink to={`/devices/policies/${target_id}`}>{names.policy(target_id)}</PageLink>
  }
  if (target_type === 'group') {
    return <PageLink to={`/devices/groups/${target_id}`}>{names.group(target_id)}</PageLink>
  }
  return (
    <span class="nowrap" title={target_id}>
      {termText(target_type)} {shortId(target_id)}
    </span>
  )
}
