import { useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import type { Member } from '../../../../src/modules/accounts/schema.ts'
import type { Answer } from '../../api/client.ts'
import { mapRead } from '../../api/lists.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  Confirm,
  ListSection,
  SelectField,
  Time,
  useToasts,
} from '../../components/index.ts'
import { type Role, useMe, useOrg } from '../../shell/organization.ts'
import styles from './organization.module.css'
import { ResetMember } from './reset-member.tsx'
import { GRANTS, grantableBy, ROLE_NAMES } from './role-names.ts'

const MEMBERS = '/console/api/members'
const MEMBER_QUERIES = [
  MEMBERS,
  '/console/api/invitations',
  '/console/api/audit',
  '/console/api/me',
]

type ShownMember = Answer<Member>
type OpenDialog =
  | { name: 'remove' | 'reset'; member: ShownMember }
  | { name: 'own_role'; role: Role }
  | { name: 'grant'; member: ShownMember; role: Exclude<Role, 'member'> }

export function MemberList() {
  const { id: org_id } = useOrg()
  const { user_id } = useMe()
  const [dialog, setDialog] = useState<OpenDialog>()
  const read = useRead<{ members: ShownMember[] }>(MEMBERS, { org_id })
  const close = () => setDialog(undefined)
  return (
    <>
      <ListSection
        title="Members"
        list={mapRead(read, ({ members }) => members)}
        what="members"
        keyOf={(member) => member.user_id}
        columns={[
          {
            label: 'E-mail',
            isWide: true,
            sortBy: ({ email }) => email,
            cell: (member) => (
              <>
                {member.email} {member.user_id === user_id && <Badge tone="info">You</Badge>}{' '}
                {member.has_second_factor && <Badge tone="good">Second factor</Badge>}
              </>
            ),
          },
          {
            label: 'Role',
            sortBy: ({ role }) => role,
            cell: (member) => <MemberRole member={member} onOpen={setDialog} />,
          },
          {
            label: 'Joined',
            sortBy: ({ created_at }) => created_at,
            cell: ({ created_at }) => <Time at={created_at} as="day" />,
          },
          {
            label: 'Actions',
            hideLabel: true,
            cell: (member) => <MemberActions member={member} onOpen={setDialog} />,
          },
        ]}
      />
      {dialog?.name === 'remove' && <RemoveMember member={dialog.member} onClose={close} />}
      {dialog?.name === 'reset' && <ResetMember member={dialog.member} onClose={close} />}
      {dialog?.name === 'grant' && (
        <GrantRole member={dialog.member} role={dialog.role} onClose={close} />
      )}
      {dialog?.name === 'own_role' && <ChangeOwnRole role={dialog.role} onClose={close} />}
    </>
  )
}

/** The actions that the signed-in user may take on a member. The service enforces them. */
function usePermissions({ user_id, role }: ShownMember) {
  const { role: own, is_admin } = useOrg()
  const isSelf = useMe().user_id === user_id
  return { isSelf, manages: own === 'owner' || (is_admin && role !== 'owner') }
}

type CellProps = { member: ShownMember; onOpen: (dialog: OpenDialog) => void }

function MemberRole({ member, onOpen }: CellProps) {
  const { role: own } = useOrg()
  const { isSelf, manages } = usePermissions(member)
  const change = useRoleChange(member)
  const select = (role: Role) => {
    if (isSelf) onOpen({ name: 'own_role', role })
    else if (role === 'member') change.mutate(role)
    else onOpen({ name: 'grant', member, role })
  }
  if (!manages) return <>{ROLE_NAMES[member.role]}</>
  return (
    <div class={styles['role']}>
      <SelectField
        label={`Role of ${member.email}`}
        hideLabel
        value={member.role}
        options={grantableBy(own).map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
        disabled={change.isPending}
        onChange={select}
      />
    </div>
  )
}

/** Changes the role of another member, with a button that takes it back. */
function useRoleChange({ user_id, email, role: before }: ShownMember, onDone?: () => void) {
  const { id: org_id } = useOrg()
  const toasts = useToasts()
  const change = useChange<Role>(
    (role) => ({ method: 'PATCH', path: `${MEMBERS}/${user_id}`, body: { org_id, role } }),
    {
      invalidates: MEMBER_QUERIES,
      quiet: onDone !== undefined,
      onSuccess: (_, role) => {
        const undo = role === before ? undefined : () => change.mutate(before)
        toasts.show(`${email} is now ${ROLE_NAMES[role]}`, undo)
        onDone?.()
      },
    },
  )
  return change
}

type GrantProps = {
  member: ShownMember
  role: Exclude<Role, 'member'>
  onClose: () => void
}

function GrantRole({ member, role, onClose }: GrantProps) {
  const change = useRoleChange(member, onClose)
  return (
    <Confirm
      title={`Make ${member.email} ${ROLE_NAMES[role]}?`}
      action={`Make ${ROLE_NAMES[role]}`}
      change={{ ...change, mutate: () => change.mutate(role) }}
      onClose={onClose}
    >
      <p>{GRANTS[role]}</p>
    </Confirm>
  )
}

function MemberActions({ member, onOpen }: CellProps) {
  const { is_admin } = useOrg()
  const { isSelf, manages } = usePermissions(member)
  return (
    <div class="row">
      {is_admin && manages && !isSelf && (
        <Button
          size="small"
          aria-label={`New password for ${member.email}`}
          onClick={() => onOpen({ name: 'reset', member })}
        >
          New password
        </Button>
      )}
      <RemoveButton member={member} onOpen={onOpen} />
    </div>
  )
}

function RemoveButton({ member, onOpen }: CellProps) {
  const { isSelf, manages } = usePermissions(member)
  if (!manages && !isSelf) return null
  return (
    <Button
      size="small"
      kind="danger"
      aria-label={isSelf ? 'Leave the organization' : `Remove ${member.email}`}
      onClick={() => onOpen({ name: 'remove', member })}
    >
      {isSelf ? 'Leave' : 'Remove'}
    </Button>
  )
}

function RemoveMember({ member, onClose }: { member: ShownMember; onClose: () => void }) {
  const { id, name } = useOrg()
  const [, navigate] = useLocation()
  const isSelf = useMe().user_id === member.user_id
  const remove = useChange(
    () => ({ method: 'DELETE', path: `${MEMBERS}/${member.user_id}`, query: { org_id: id } }),
    {
      invalidates: MEMBER_QUERIES,
      toast: isSelf ? `You left ${name}` : `${member.email} was removed`,
      onSuccess: () => !isSelf && onClose(),
      quiet: true,
    },
  )
  const confirm = () =>
    void remove.mutateAsync().then(
      // The remaining organizations are known only after the removal.
      () => isSelf && navigate('~/console'),
      () => undefined,
    )
  return (
    <Confirm
      title={isSelf ? `Leave ${name}?` : `Remove ${member.email}?`}
      action={isSelf ? 'Leave organization' : 'Remove member'}
      change={remove}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'You lose' : 'They lose'} access immediately. API keys are not affected.
        Invitation links that {isSelf ? 'you' : 'they'} created stop working.
      </p>
      <p>A removed member can be invited again.</p>
    </Confirm>
  )
}

function ChangeOwnRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const { user_id } = useMe()
  const change = useChange(
    () => ({ method: 'PATCH', path: `${MEMBERS}/${user_id}`, body: { org_id, role } }),
    {
      invalidates: MEMBER_QUERIES,
      toast: `Your role is now ${ROLE_NAMES[role]}`,
      onSuccess: onClose,
      quiet: true,
    },
  )
  return (
    <Confirm
      title={`Change your role to ${ROLE_NAMES[role]}?`}
      action="Change my role"
      change={change}
      onClose={onClose}
    >
      <p>You cannot undo this yourself. Only a member who may grant your current role can.</p>
    </Confirm>
  )
}
