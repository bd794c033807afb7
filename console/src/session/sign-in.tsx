/** The way in. */
import { useState } from 'preact/hooks'
import { Redirect, useSearch } from 'wouter'
import type { ApiError } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { useSession, useSessionState } from './context.ts'

export function SignIn() {
  useTitle('Sign in')
  const session = useSession()
  const state = useSessionState()
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)

  if (state === 'signed_in') return <Redirect to={next.startsWith('/') ? next : '/'} replace />

  const submit = () => {
    setBusy(true)
    setError(undefined)
    session
      .signIn(email, password)
      .catch((failure: ApiError) => setError(failure))
      .finally(() => setBusy(false))
  }

  return (
    <main class="entrance">
      <Brand />
      <h1>Sign in</h1>
      <Form onSubmit={submit} error={error}>
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          value={email}
          onInput={setEmail}
          required
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
      <p class="muted">
        No account? An administrator of your organisation can invite you. Whoever runs the service
        makes the first one with <code>vigil user create</code>.
      </p>
    </main>
  )
}
