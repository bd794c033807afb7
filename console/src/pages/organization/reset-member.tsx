/** Sends a member a link for a new password, or shows it where the installation sends no e-mails. */
import type { Member, ResetLink } from '../../../../src/modules/accounts/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import { Confirm, SecretDialog, Time, useToasts } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

type Props = { member: Answer<Member>; onClose: () => void }

export function ResetMember({ member: { user_id, email }, onClose }: Props) {
  const { id: org_id } = useOrg()
  const toasts = useToasts()
  const reset = useChange<void, ResetLink>(
    () => ({
      method: 'POST',
      path: `/console/api/members/${user_id}/password-reset`,
      body: { org_id },
    }),
    {
      invalidates: ['/console/api/audit'],
      quiet: true,
      onSuccess: ({ token }) => {
        if (token !== null) return
        toasts.show(`A link was sent to ${email}`)
        onClose()
      },
    },
  )
  if (reset.data?.token) {
    return (
      <SecretDialog
        title={`New password for ${email}`}
        secret={`${window.location.origin}/console/reset#${reset.data.token}`}
        what="link"
        file="vigil-new-password.txt"
        onClose={onClose}
      >
        <p>
          This installation sends no e-mails, so send this link to {email} yourself. It works once,
          until <Time at={reset.data.expires_at} />.
        </p>
      </SecretDialog>
    )
  }
  return (
    <Confirm
      title={`New password for ${email}?`}
      action="Create the link"
      change={reset}
      onClose={onClose}
    >
      <p>
        The member gets a link to set a new password. Their password and sessions stay until the
        link is used. It does not replace the second factor.
      </p>
    </Confirm>
  )
}
