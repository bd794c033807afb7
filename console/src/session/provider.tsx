/** Pages of single sign-on: on the way to a provider, and on the way back. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Redirect, useLocation, useParams } from 'wouter'
import { type ApiError, fetchContent } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/states.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { useSession } from './context.ts'
import { CONSOLE_HEADER, type Completed } from './session.ts'
import { useSubmit } from './use-submit.ts'

const PROVIDER = '/console/api/auth/provider'

type Where = { org_id?: string; email?: string; next?: string }

/** Leaves the console. The browser returns with a code, and then to the page `next`. */
export async function goToProvider(where: Where): Promise<void> {
  const call = { method: 'POST', path: PROVIDER, body: where, headers: CONSOLE_HEADER } as const
  const { url } = await fetchContent<{ url: string }>(call, undefined)
  window.location.assign(url)
}

/** For the sign-in page: the provider of the installation, if there is one, and those of organizations. */
export function ProviderSignIn({ next }: { next: string }) {
  const [name, setName] = useState<string | null>(null)
  const [, navigate] = useLocation()
  useEffect(() => {
    void fetchContent<{ name: string | null }>({ path: PROVIDER }, undefined).then(
      (provider) => setName(provider.name),
      // The sign-in with a password works without it.
      () => undefined,
    )
  }, [])
  const go = useSubmit(() => goToProvider({ next }))
  return (
    <>
      {name !== null && (
        <Form onSubmit={go.submit} error={go.error}>
          <Button type="submit" busy={go.isBusy}>
            Sign in with {name}
          </Button>
        </Form>
      )}
      <Button onClick={() => navigate(`/sso?next=${encodeURIComponent(next)}`)}>
        Sign in with your organization
      </Button>
    </>
  )
}

/** The page that organizations link to, and the one for people who know only their e-mail. */
export function OrganizationSignIn() {
  useTitle('Single sign-on')
  const { org } = useParams<{ org?: string }>()
  const asked = new URLSearchParams(window.location.search).get('next')
  const next = asked ?? (org === undefined ? '/' : `/o/${org}`)
  const [email, setEmail] = useState('')
  const go = useSubmit(() =>
    goToProvider(org === undefined ? { email, next } : { org_id: org, next }),
  )
  return (
    <main class="entrance">
      <Brand />
      <h1>Single sign-on</h1>
      <Form onSubmit={go.submit} error={go.error}>
        {org === undefined ? (
          <TextField
            label="Work e-mail"
            name="email"
            type="email"
            autocomplete="username"
            hint="Its domain leads to the provider of your organization."
            value={email}
            onChange={setEmail}
            required
          />
        ) : (
          <p>You continue at the provider of your organization and come back here.</p>
        )}
        <Button type="submit" kind="primary" busy={go.isBusy}>
          Continue
        </Button>
      </Form>
      <a href="/console/sign-in">Sign in in another way</a>
    </main>
  )
}

const RETURNED = ['code', 'state', 'iss', 'error'] as const

/** The address that a provider sends the browser to. */
export function ProviderReturn() {
  useTitle('Single sign-on')
  const session = useSession()
  const { org } = useParams<{ org?: string }>()
  const isSent = useRef(false)
  const [done, setDone] = useState<Completed>()
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    // A response works once.
    if (isSent.current) return
    isSent.current = true
    const sent = new URLSearchParams(window.location.search)
    const callback = RETURNED.flatMap((name) => {
      const value = sent.get(name)
      return value === null || value === '' ? [] : [[name, value] as const]
    })
    // The code must not stay in the history.
    window.history.replaceState(null, '', window.location.pathname)
    const returned = { ...Object.fromEntries(callback), ...(org !== undefined && { org_id: org }) }
    session.complete(returned).then(setDone, (failure: ApiError) => setError(failure))
  }, [])
  if (done && done.kind !== 'tested') return <Redirect to={done.next} replace />
  return (
    <main class="entrance">
      <Brand />
      <h1>Single sign-on</h1>
      {done ? (
        <Tested done={done} />
      ) : error ? (
        <>
          <p class="form-fault" role="alert">
            {error.message}
          </p>
          <a href={org === undefined ? '/console/sign-in' : `/console/sso/${org}`}>Start again</a>
        </>
      ) : (
        <Loading what="your sign-in" />
      )}
    </main>
  )
}

const Tested = ({ done }: { done: Extract<Completed, { kind: 'tested' }> }) => (
  <>
    <p>
      The test was successful. The provider has named <strong>{done.email}</strong>
      {done.role !== null && (
        <>
          , who would have the role <strong>{done.role}</strong>
        </>
      )}
      .{' '}
      {done.has_second_factor
        ? 'The sign-in counts as one with a second factor.'
        : 'The provider has reported no second factor.'}
    </p>
    <a href={`/console${done.next}`}>Back to the settings</a>
  </>
)
