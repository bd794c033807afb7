/**
 * Where the link of an invitation leads. Its token is in the fragment, which browsers send nowhere.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import type { ShownInvitation } from '../../../src/modules/accounts/schema.ts'
import { type ApiError, fetchContent } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Failed, Waiting } from '../components/states.tsx'
import { Time } from '../components/time.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { AcceptSignedIn, forgetOthers } from './accept.tsx'
import { useSession } from './context.ts'

const INVITATIONS = '/console/api/invitations'
const PASSWORD_MIN_CHARS = 12

const post = async <T,>(action: string, body: object): Promise<T> =>
  await fetchContent<T>({ method: 'POST', path: `${INVITATIONS}/${action}`, body }, undefined)

export default function Invitation() {
  useTitle('Invitation')
  const token = window.location.hash.slice(1)
  const shown = useQuery<ShownInvitation, ApiError>({
    queryKey: ['invitation', token],
    queryFn: () => post<ShownInvitation>('show', { token }),
    enabled: token !== '',
    retry: false,
    // Accepting it makes it disappear; the page goes on from what it knows.
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
        <Waiting for="the invitation" />
      ) : (
        <Invited invitation={shown.data} token={token} />
      )}
    </main>
  )
}

const Gone = () => (
  <>
    <h1>Invitation</h1>
    <Empty title="This invitation does not work (any more)">
      <p>
        It was used, revoked, or has expired, or the link is not complete. Ask whoever invited you
        for a new one.
      </p>
      <a href="/console">To the console</a>
    </Empty>
  </>
)

function Invited({ invitation, token }: { invitation: ShownInvitation; token: string }) {
  const { organization, email, role, expires_at, has_account } = invitation
  return (
    <>
      <h1>Join {organization}</h1>
      <p>
        You are invited as <strong>{role}</strong>, with the e-mail <strong>{email}</strong>. The
        invitation works until <Time at={expires_at} />.
      </p>
      {has_account ? (
        <AcceptSignedIn email={email} token={token} />
      ) : (
        <NewAccount email={email} token={token} />
      )}
    </>
  )
}

function NewAccount({ email, token }: { email: string; token: string }) {
  const session = useSession()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)

  const join = async () => {
    const { org_id } = await post<{ org_id: string }>('accept', { token, password })
    const next = `/o/${org_id}`
    // The account is there, and the invitation used: trying again must not begin with that.
    const isSignedIn = await session.signIn(email, password).then(
      () => true,
      () => false,
    )
    // Of whoever was signed in here before.
    forgetOthers(client)
    navigate(isSignedIn ? next : `/sign-in?next=${encodeURIComponent(next)}`, { replace: true })
  }
  const submit = () => {
    setBusy(true)
    setError(undefined)
    join()
      .catch((failure: ApiError) => setError(failure))
      .finally(() => setBusy(false))
  }
  return (
    <Form onSubmit={submit} error={error}>
      <TextField
        label="E-mail"
        type="email"
        autocomplete="username"
        value={email}
        onInput={() => undefined}
        readOnly
      />
      <TextField
        label="Choose a password"
        name="password"
        type="password"
        autocomplete="new-password"
        minLength={PASSWORD_MIN_CHARS}
        value={password}
        onInput={setPassword}
        hint={`At least ${PASSWORD_MIN_CHARS} characters.`}
        required
      />
      <Button type="submit" kind="primary" busy={isBusy}>
        Create account and join
      </Button>
    </Form>
  )
}
