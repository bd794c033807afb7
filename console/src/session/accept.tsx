/**
 * Accepts an invitation: signed in with the invited e-mail, after signing in, or with a new account. The
 * service does not say whether the e-mail has an account, so both ways are offered.
 */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import { type ApiError, fetchContent } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/states.tsx'
import type { Me } from '../shell/organization.ts'
import { useCode } from './code-field.tsx'
import { useSession, useSessionState } from './context.ts'
import { NewPasswordForm, PasswordForm } from './password-form.tsx'
import { useSubmit } from './use-submit.ts'

export const INVITATIONS = '/console/api/invitations'

type Invited = { email: string; token: string }

export function Accept({ email, token }: Invited) {
  const session = useSession()
  const state = useSessionState()
  const client = useQueryClient()
  const [hasAccount, setHasAccount] = useState(false)
  useEffect(() => {
    if (state === 'unknown') void session.resume()
    if (state === 'signed_out') clearUserQueries(client)
  }, [state])
  if (state === 'unknown') return <Loading what="your session" />
  if (state === 'signed_in') return <Join email={email} token={token} />
  return (
    <>
      {hasAccount ? <SignInFirst email={email} /> : <NewAccount email={email} token={token} />}
      <Button onClick={() => setHasAccount(!hasAccount)}>
        {hasAccount ? 'Create an account instead' : 'I already have an account'}
      </Button>
    </>
  )
}

/** Removes the previous user's data; the invitation, which is a link, does not belong to a user yet. */
function clearUserQueries(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'link' })
}

function SignInFirst({ email }: { email: string }) {
  const session = useSession()
  const second = useCode()
  return (
    <PasswordForm
      email={email}
      label="Password"
      autocomplete="current-password"
      action="Sign in"
      onPassword={(password) => second.ask((code) => session.signIn(email, password, { code }))}
    >
      <p>Sign in with your account, then join.</p>
      {second.field}
    </PasswordForm>
  )
}

function NewAccount({ email, token }: Invited) {
  const session = useSession()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const join = async (password: string) => {
    const call = {
      method: 'POST',
      path: `${INVITATIONS}/accept`,
      body: { token, password },
    } as const
    const { org_id } = await fetchContent<{ org_id: string }>(call, undefined)
    const next = `/o/${org_id}`
    // The account now exists and the invitation is used up, so a failed sign-in must not repeat this step.
    const isSignedIn = await session.signIn(email, password, { org_id }).then(
      () => true,
      () => false,
    )
    clearUserQueries(client)
    navigate(isSignedIn ? next : `/sign-in?next=${encodeURIComponent(next)}`, { replace: true })
  }
  return <NewPasswordForm email={email} action="Create account and join" onPassword={join} />
}

function Join({ email, token }: Invited) {
  const session = useSession()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const me = useQuery<Me, ApiError>({
    queryKey: ['/console/api/me', {}],
    queryFn: () => session.call<Me>({ path: '/console/api/me' }),
  })
  const join = useSubmit(async () => {
    const path = `${INVITATIONS}/join`
    const body = { token }
    const { org_id } = await session.call<{ org_id: string }>({ method: 'POST', path, body })
    await client.invalidateQueries({ queryKey: ['/console/api/me'] })
    navigate(`/o/${org_id}`, { replace: true })
  })
  const leave = useSubmit(async () => void (await session.signOut()))
  if (me.data === undefined) return <Loading what="your account" />
  const isInvited = me.data.email.toLowerCase() === email.toLowerCase()
  return (
    <Form onSubmit={join.submit} error={join.error ?? leave.error}>
      <p>
        You are signed in as <strong>{me.data.email}</strong>.
        {!isInvited && ' Sign out to use the invited e-mail.'}
      </p>
      {isInvited && (
        <Button type="submit" kind="primary" busy={join.isBusy}>
          Join
        </Button>
      )}
      <Button onClick={leave.submit} busy={leave.isBusy}>
        {isInvited ? 'Use another account' : 'Sign out'}
      </Button>
    </Form>
  )
}
