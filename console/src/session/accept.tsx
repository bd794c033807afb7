/** Accepting an invitation with an account that is there: signed in as the e-mail that was invited. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import type { ApiError } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Waiting } from '../components/states.tsx'
import type { Me } from '../shell/organization.ts'
import { useSession, useSessionState } from './context.ts'

type Invited = { email: string; token: string }

export function AcceptSignedIn({ email, token }: Invited) {
  const session = useSession()
  const state = useSessionState()
  const client = useQueryClient()
  useEffect(() => {
    if (state === 'unknown') void session.resume()
    if (state === 'signed_out') forgetOthers(client)
  }, [state])
  if (state === 'unknown') return <Waiting for="your session" />
  return state === 'signed_in' ? (
    <Join email={email} token={token} />
  ) : (
    <SignInFirst email={email} />
  )
}

/** What one user has seen is not left for the next; the invitation is nobody's yet. */
export function forgetOthers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'invitation' })
}

function SignInFirst({ email }: { email: string }) {
  const session = useSession()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const submit = () => {
    setBusy(true)
    setError(undefined)
    session
      .signIn(email, password)
      .catch((failure: ApiError) => setError(failure))
      .finally(() => setBusy(false))
  }
  return (
    <Form onSubmit={submit} error={error}>
      <p>You have an account already. Sign in to accept.</p>
      <TextField
        label="E-mail"
        type="email"
        autocomplete="username"
        value={email}
        onInput={() => undefined}
        readOnly
      />
      <TextField
        label="Password"
        type="password"
        autocomplete="current-password"
        value={password}
        onInput={setPassword}
        required
      />
      <Button type="submit" kind="primary" busy={isBusy}>
        Sign in
      </Button>
    </Form>
  )
}

function Join({ email, token }: Invited) {
  const session = useSession()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const me = useQuery<Me, ApiError>({
    queryKey: ['/console/api/me', {}],
    queryFn: () => session.call<Me>({ path: '/console/api/me' }),
  })
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const join = async () => {
    const path = '/console/api/invitations/join'
    const body = { token }
    const { org_id } = await session.call<{ org_id: string }>({ method: 'POST', path, body })
    await client.invalidateQueries({ queryKey: ['/console/api/me'] })
    navigate(`/o/${org_id}`, { replace: true })
  }
  const submit = () => {
    setBusy(true)
    setError(undefined)
    join()
      .catch((failure: ApiError) => setError(failure))
      .finally(() => setBusy(false))
  }
  if (me.data === undefined) return <Waiting for="your account" />
  if (me.data.email.toLowerCase() !== email.toLowerCase()) {
    return (
      <div class="stack">
        <p>
          You are signed in as <strong>{me.data.email}</strong>. Sign out, and in again as the
          e-mail that was invited.
        </p>
        {error && <p role="alert">{error.message}</p>}
        <Button onClick={() => void session.signOut().catch(setError)}>Sign out</Button>
      </div>
    )
  }
  return (
    <Form onSubmit={submit} error={error}>
      <Button type="submit" kind="primary" busy={isBusy}>
        Join
      </Button>
    </Form>
  )
}
