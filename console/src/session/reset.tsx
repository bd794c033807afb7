/** A new password, set with the link of an e-mail. Its token is in the fragment, which browsers do not send. */
import { useState } from 'preact/hooks'
import type { ResetPreview } from '../../../src/modules/accounts/schema.ts'
import { fetchContent } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { NewPasswordForm } from './password-form.tsx'
import { useLink } from './use-link.ts'
import { useSubmit } from './use-submit.ts'

const RESET = '/console/api/auth/password-reset'

export default function Reset() {
  useTitle('New password')
  const [token] = useState(() => window.location.hash.slice(1))
  return (
    <main class="entrance">
      <Brand />
      <h1>New password</h1>
      {token === '' ? <Request /> : <Link token={token} />}
    </main>
  )
}

function Request() {
  const [email, setEmail] = useState('')
  const [isMailed, setMailed] = useState<boolean>()
  const { submit, error, isBusy } = useSubmit(async () => {
    const call = { method: 'POST', path: `${RESET}/request`, body: { email } } as const
    setMailed((await fetchContent<{ is_mailed: boolean }>(call, undefined)).is_mailed)
  })
  if (isMailed === true) {
    return (
      <Empty title="Look into your mailbox">
        <p>
          If there is an account with the e-mail {email}, a mail with a link arrives within minutes.
          The link works for one hour.
        </p>
        <SignIn />
      </Empty>
    )
  }
  if (isMailed === false) {
    return (
      <Empty title="This installation sends no e-mails">
        <p>An administrator of your organization can create a link for you under Members.</p>
        <SignIn />
      </Empty>
    )
  }
  return (
    <Form onSubmit={submit} error={error}>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autocomplete="username"
        value={email}
        onChange={setEmail}
        required
      />
      <Button type="submit" kind="primary" busy={isBusy}>
        Send a link
      </Button>
      <SignIn />
    </Form>
  )
}

const SignIn = () => <a href="/console/sign-in">Back to sign-in</a>

function Link({ token }: { token: string }) {
  const [isDone, setDone] = useState(false)
  const shown = useLink<ResetPreview>(RESET, token)
  if (isDone) {
    return (
      <Empty title="Your password is changed">
        <p>All sessions have ended. Sign in with the new password.</p>
        <SignIn />
      </Empty>
    )
  }
  if (shown.is_over) {
    return (
      <Empty title="This link is no longer valid">
        <p>It was used or has expired, or the link is incomplete.</p>
        <a href="/console/reset">Get a new one</a>
      </Empty>
    )
  }
  if (shown.error) return <Failed error={shown.error} onRetry={() => void shown.refetch()} />
  if (!shown.data) return <Loading what="the link" />
  const use = async (password: string) => {
    await fetchContent({ method: 'POST', path: RESET, body: { token, password } }, undefined)
    setDone(true)
  }
  return <NewPasswordForm email={shown.data.email} action="Set the password" onPassword={use} />
}
