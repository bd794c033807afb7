/** The page of an invitation link. The token is in the fragment, which browsers never send. */

import type { InvitationPreview } from '../../../src/modules/accounts/schema.ts'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Time } from '../components/time.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { Accept, INVITATIONS } from './accept.tsx'
import { useLink } from './use-link.ts'

export default function Invitation() {
  useTitle('Invitation')
  const token = window.location.hash.slice(1)
  const shown = useLink<InvitationPreview>(INVITATIONS, token)
  return (
    <main class="entrance">
      <Brand />
      {shown.is_over ? (
        <Gone />
      ) : shown.error ? (
        <Failed error={shown.error} onRetry={() => void shown.refetch()} />
      ) : shown.data === undefined ? (
        <Loading what="the invitation" />
      ) : (
        <Invited invitation={shown.data} token={token} />
      )}
    </main>
  )
}

const Gone = () => (
  <>
    <h1>Invitation</h1>
    <Empty title="This invitation is no longer valid">
      <p>
        It was used, revoked or has expired, or the link is incomplete. Ask the person who invited
        you for a new one.
      </p>
      <a href="/console">Go to the console</a>
    </Empty>
  </>
)

function Invited({ invitation, token }: { invitation: InvitationPreview; token: string }) {
  const { organization, email, role, expires_at } = invitation
  return (
    <>
      <h1>Join {organization}</h1>
      <p>
        You are invited as <strong>{role}</strong> with the e-mail <strong>{email}</strong>. The
        invitation expires <Time at={expires_at} />.
      </p>
      <Accept email={email} token={token} />
    </>
  )
}
