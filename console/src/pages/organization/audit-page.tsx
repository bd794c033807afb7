import type { AuditEntry, AuditPage } from '../../../../src/modules/audit/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Identifier, ListSection, Notice, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useOrg } from '../../shell/organization.ts'
import { detailsText, sentenceOf } from './audit-sentences.ts'
import { OrganizationPage } from './organization-page.tsx'

export default function AuditLog() {
  const { is_admin } = useOrg()
  return (
    <OrganizationPage lead="Changes to members, keys, plan and rules. Entries cannot be changed or deleted.">
      {is_admin ? <Entries /> : <Notice>Only owners and admins can see the audit log.</Notice>}
    </OrganizationPage>
  )
}

function Entries() {
  const { id: org_id } = useOrg()
  const pages = usePages<AuditPage>('/console/api/audit', { org_id })
  return (
    <ListSection
      list={rowsOfPages(pages, ({ entries }) => entries)}
      what="entries"
      label="Audit log"
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty={<p>Changes to invitations, roles, keys and plans appear here.</p>}
    />
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { label: 'Time', cell: ({ at }) => <Time at={at} /> },
  {
    label: 'Actor',
    cell: ({ actor_email, actor_user_id }) => (
      <Identifier text={actor_email ?? actor_user_id ?? 'Command line'} />
    ),
  },
  {
    label: 'Change',
    isWide: true,
    cell: (entry) => (
      <>
        {sentenceOf(entry)}
        {detailsText(entry) !== '' && <div class="muted">{detailsText(entry)}</div>}
      </>
    ),
  },
  { label: 'Action', cell: ({ action }) => <code>{action}</code> },
]
