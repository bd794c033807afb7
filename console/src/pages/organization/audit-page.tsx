/** Who did what in the organisation. */
import type { AuditEntry, AuditPage } from '../../../../src/modules/audit/schema.ts'
import { usePages } from '../../api/read.ts'
import { Empty, More, Notice, Section, Shown, Table, Time } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { detailsText, sentenceOf } from './audit-words.ts'
import { OrganizationFrame } from './frame.tsx'
import styles from './organization.module.css'

export default function AuditLog() {
  const { is_admin } = useOrg()
  return (
    <OrganizationFrame lead="Who changed members, keys, plan and rules. Entries are never changed or deleted.">
      {is_admin ? <Entries /> : <Notice>Owners and admins see the audit log.</Notice>}
    </OrganizationFrame>
  )
}

function Entries() {
  const { id: org_id } = useOrg()
  const pages = usePages<AuditPage>('/console/api/audit', { org_id })
  return (
    <Section title="Audit log" hideTitle>
      <Shown read={pages} what="the audit log">
        {({ pages: read }) => {
          const entries = read.flatMap((page) => page.entries)
          return entries.length === 0 ? (
            <Empty title="Nothing was changed yet">
              <p>Invitations, roles, keys and plans that are changed from now on appear here.</p>
            </Empty>
          ) : (
            <>
              <AuditTable entries={entries} />
              <More pages={pages} shown={entries.length} what="entries" />
            </>
          )
        }}
      </Shown>
    </Section>
  )
}

const AuditTable = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <Table
    label="Audit log"
    rows={entries}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Time',
        cell: ({ at }) => (
          <span class={styles['nowrap']}>
            <Time at={at} />
          </span>
        ),
      },
      {
        label: 'Who',
        cell: ({ actor_email, actor_user_id }) => (
          <span class={styles['person']}>{actor_email ?? actor_user_id ?? 'Command line'}</span>
        ),
      },
      {
        label: 'What',
        isWide: true,
        cell: (entry) => {
          const details = detailsText(entry)
          return (
            <>
              {sentenceOf(entry)}
              {details !== '' && <div class="muted">{details}</div>}
            </>
          )
        },
      },
      { label: 'Action', cell: ({ action }) => <code class={styles['nowrap']}>{action}</code> },
    ]}
  />
)
