/** Questions before somebody loses what they may do. */
import { useLocation } from 'wouter'
import { useChange } from '../../api/read.ts'
import { Confirm } from '../../components/index.ts'
import { type Role, useMe, useOrg } from '../../shell/organization.ts'
import { AFFECTED, MEMBERS, type ShownMember } from './members.ts'
import { ROLE_NAMES } from './words.ts'

export function RemoveMember({ member, onClose }: { member: ShownMember; onClose: () => void }) {
  const { id, name } = useOrg()
  const [, navigate] = useLocation()
  const isSelf = useMe().user_id === member.user_id
  const remove = useChange(
    () => ({ method: 'DELETE', path: `${MEMBERS}/${member.user_id}`, query: { org_id: id } }),
    {
      changes: AFFECTED,
      done: isSelf ? `You have left ${name}` : `${member.email} is no member any more`,
      onDone: () => !isSelf && onClose(),
      quiet: true,
    },
  )
  const confirm = () =>
    void remove.mutateAsync().then(
      // Only now it is known which organisations are left.
      () => isSelf && navigate('~/console'),
      () => undefined,
    )
  return (
    <Confirm
      title={isSelf ? `Leave ${name}` : `Remove ${member.email}`}
      action={isSelf ? 'Leave organisation' : 'Remove member'}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'You lose' : 'They lose'} access at once. API keys stay as they are, and links to
        invitations that {isSelf ? 'you' : 'they'} made stop working.
      </p>
      <p>Somebody who was removed can be invited again.</p>
    </Confirm>
  )
}

export function ChangeOwnRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const { user_id } = useMe()
  const change = useChange(
    () => ({ method: 'PATCH', path: `${MEMBERS}/${user_id}`, body: { org_id, role } }),
    { changes: AFFECTED, done: `You are ${ROLE_NAMES[role]} now`, onDone: onClose, quiet: true },
  )
  return (
    <Confirm
      title={`Become ${ROLE_NAMES[role]}`}
      action="Change my role"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p>You cannot take this back yourself: somebody who may give your present role has to.</p>
    </Confirm>
  )
}
