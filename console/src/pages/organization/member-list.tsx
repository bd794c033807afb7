/** Who belongs to the organisation. Admins change roles and remove; everybody may leave. */
import { useState } from 'preact/hooks'
import { useChange, useRead } from '../../api/read.ts'
import { Badge, Button, Section, SelectField, Shown, Table, Time } from '../../components/index.ts'
import { type Role, useMe, useOrg } from '../../shell/organization.ts'
import { ChangeOwnRole, RemoveMember } from './member-dialogs.tsx'
import { AFFECTED, MEMBERS, type ShownMember } from './members.ts'
import styles from './organization.module.css'
import { givenBy, ROLE_NAMES } from './words.ts'

type Asked = { what: 'remove'; member: ShownMember } | { what: 'own_role'; role: Role }

export function MemberList() {
  const { id: org_id } = useOrg()
  const [asked, setAsked] = useState<Asked>()
  const members = useRead<{ members: ShownMember[] }>(MEMBERS, { org_id })
  const close = () => setAsked(undefined)
  return (
    <Section title="Members">
      <Shown read={members} what="members">
        {({ members: all }) => <MemberTable members={all} onAsk={setAsked} />}
      </Shown>
      {asked?.what === 'remove' && <RemoveMember member={asked.member} onClose={close} />}
      {asked?.what === 'own_role' && <ChangeOwnRole role={asked.role} onClose={close} />}
    </Section>
  )
}

function MemberTable({
  members,
  onAsk,
}: {
  members: readonly ShownMember[]
  onAsk: (asked: Asked) => void
}) {
  const { user_id } = useMe()
  return (
    <Table
      label="Members"
      rows={members}
      keyOf={(member) => member.user_id}
      columns={[
        {
          label: 'E-mail',
          isWide: true,
          cell: (member) => (
            <>
              {member.email} {member.user_id === user_id && <Badge tone="info">You</Badge>}
            </>
          ),
        },
        { label: 'Role', cell: (member) => <MemberRole member={member} onAsk={onAsk} /> },
        {
          label: 'Since',
          cell: ({ created_at }) => (
            <span class={styles['nowrap']}>
              <Time at={created_at} as="day" />
            </span>
          ),
        },
        {
          label: 'Actions',
          hideLabel: true,
          cell: (member) => <Removal member={member} onAsk={onAsk} />,
        },
      ]}
    />
  )
}

/** What the signed-in user may do with somebody; the service decides in the end. */
function useManages({ user_id, role }: ShownMember) {
  const { role: own, is_admin } = useOrg()
  const isSelf = useMe().user_id === user_id
  return { isSelf, manages: own === 'owner' || (is_admin && role !== 'owner') }
}

type CellProps = { member: ShownMember; onAsk: (asked: Asked) => void }

function MemberRole({ member, onAsk }: CellProps) {
  const { id: org_id, role: own } = useOrg()
  const { isSelf, manages } = useManages(member)
  const change = useChange<Role>(
    (role) => ({
      method: 'PATCH',
      path: `${MEMBERS}/${member.user_id}`,
      body: { org_id, role },
    }),
    { changes: AFFECTED, done: (_, role) => `${member.email} is ${ROLE_NAMES[role]} now` },
  )
  if (!manages) return <>{ROLE_NAMES[member.role]}</>
  return (
    <div class={styles['role']}>
      <SelectField
        label={`Role of ${member.email}`}
        hideLabel
        value={member.role}
        options={givenBy(own).map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
        disabled={change.isPending}
        onChange={(role) => (isSelf ? onAsk({ what: 'own_role', role }) : change.mutate(role))}
      />
    </div>
  )
}

function Removal({ member, onAsk }: CellProps) {
  const { isSelf, manages } = useManages(member)
  if (!manages && !isSelf) return null
  return (
    <Button
      size="small"
      kind="danger"
      aria-label={isSelf ? 'Leave the organisation' : `Remove ${member.email}`}
      onClick={() => onAsk({ what: 'remove', member })}
    >
      {isSelf ? 'Leave' : 'Remove'}
    </Button>
  )
}
