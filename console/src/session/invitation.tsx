/** The page of an invitation link. The token is in the fragment, which browsers never send. */

import { useQuery } from '@tanstack/react-query'
import type { InvitationPreview } from '../../../src/modules/accounts/schema.ts'
import { type ApiError, fetchContent } from '../api/client.ts'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Time } from '../components/time.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { Accept, INVITATIONS } from './accept.tsx'

const show = async (token: string): Promise<InvitationPreview> => {
  const call = { method: 'POST', path: `${INVITATIONS}/show`, body: { token } } as const
  return await fetchContent<InvitationPreview>(call, undefined)
}

export default function Invitation() {
  useTitle('Invitation')
  const token = window.location.hash.slice(1)
  const shown = useQuery<InvitationPreview, ApiError>({
    queryKey: ['invitation', token],
    queryFn: () => show(token),
    enabled: token !== '',
    retry: false,
    // Accepting deletes the invitation; the page continues with what it has loaded.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <main class="entrance">
      <Brand />
      {token === '' || shown.error?.status === 404 || shown.error?.status === 400 ? (
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
