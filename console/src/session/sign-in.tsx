import { Redirect, useSearch } from 'wouter'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useFields } from '../components/use-fields.ts'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { useCode } from './code-field.tsx'
import { useSession, useSessionState } from './context.ts'
import { hasPasskeys } from './passkey.ts'
import { ProviderSignIn } from './provider.tsx'
import { useSubmit } from './use-submit.ts'

export function SignIn() {
  useTitle('Sign in')
  const session = useSession()
  const state = useSessionState()
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  const { values, field } = useFields({ email: '', password: '' })
  const second = useCode()
  const { submit, error, isBusy } = useSubmit(() =>
    second.ask((code) =>
      session.signIn(values.email, values.password, { org_id: organizationIn(next), code }),
    ),
  )

  const passkey = useSubmit(() => session.signInWithPasskey())

  if (state === 'signed_in') return <Redirect to={next.startsWith('/') ? next : '/'} replace />

  return (
    <main class="entrance">
      <Brand />
      <h1>Sign in</h1>
      <Form onSubmit={submit} error={error}>
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          {...field('email')}
          required
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          {...field('password')}
          required
        />
        {second.field}
        <Button type="submit" kind="primary" busy={isBusy}>
          Sign in
        </Button>
      </Form>
      {hasPasskeys() && (
        <Form onSubmit={passkey.submit} error={passkey.error}>
          <Button type="submit" busy={passkey.isBusy}>
            Sign in with a passkey
          </Button>
        </Form>
      )}
      <ProviderSignIn next={next} />
      <p>
        <a href="/console/reset">Forgot your password?</a>
      </p>
      <p class="muted">
        No account? An administrator of your organization can invite you. The first account is
        created on the server with <code>vigil user create</code>.
      </p>
    </main>
  )
}

/** The organization of a page: `/o/<id>/…`. */
const organizationIn = (path: string): string | undefined =>
  /^\/o\/([0-9a-f-]{36})(?:[/?#]|$)/i.exec(path)?.[1]
