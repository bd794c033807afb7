/** The page of a link in an e-mail about a new address of an account, for the old or the new address. */
import { useState } from 'preact/hooks'
import type { EmailChangePreview } from '../../../src/modules/accounts/schema.ts'
import { fetchContent } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Actions, Form } from '../components/form.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../shell/title.ts'
import { useLink } from './use-link.ts'
import { useSubmit } from './use-submit.ts'

const CHANGE = '/console/api/auth/email-change'
type Outcome = 'complete' | 'waiting' | 'canceled'

export default function EmailLink() {
  useTitle('E-mail address')
  const [token] = useState(() => window.location.hash.slice(1))
  const shown = useLink<EmailChangePreview>(CHANGE, token)
  return (
    <main class="entrance">
      <Brand />
      <h1>E-mail address</h1>
      {shown.is_over ? (
        <Empty title="This link is no longer valid">
          <p>The change was made or canceled, or the link has expired or is incomplete.</p>
          <Home />
        </Empty>
      ) : shown.error ? (
        <Failed error={shown.error} onRetry={() => void shown.refetch()} />
      ) : shown.data === undefined ? (
        <Loading what="the change" />
      ) : (
        <Decide change={shown.data} token={token} />
      )}
    </main>
  )
}

const Home = () => <a href="/console">Go to the console</a>

function Decide({ change, token }: { change: EmailChangePreview; token: string }) {
  const { former, email, side } = change
  const isConfirmed = side === 'old' ? change.is_confirmed_by_old : change.is_confirmed_by_new
  const [outcome, setOutcome] = useState<Outcome | undefined>(isConfirmed ? 'waiting' : undefined)
  const call = (action: string) => ({
    method: 'POST' as const,
    path: `${CHANGE}/${action}`,
    body: { token },
  })
  const confirm = useSubmit(async () => {
    const answer = await fetchContent<{ is_complete: boolean }>(call('confirm'), undefined)
    setOutcome(answer.is_complete ? 'complete' : 'waiting')
  })
  const cancel = useSubmit(async () => {
    await fetchContent(call('cancel'), undefined)
    setOutcome('canceled')
  })
  if (outcome === 'complete') {
    return (
      <Empty title="The e-mail address is changed">
        <p>Sign in with {email} from now on.</p>
        <Home />
      </Empty>
    )
  }
  if (outcome === 'canceled') {
    return (
      <Empty title="The change is canceled">
        <p>The account keeps {former}. If you did not ask for the change, set a new password.</p>
        <Home />
      </Empty>
    )
  }
  return (
    <Form onSubmit={confirm.submit} error={confirm.error ?? cancel.error}>
      <p>
        The account of <strong>{former}</strong> is to use <strong>{email}</strong>.
      </p>
      {outcome === 'waiting' ? (
        <p role="status">
          Confirmed. The address changes when {side === 'old' ? email : former} has confirmed it,
          too.
        </p>
      ) : (
        <p>Confirm this only if you want it. If you did not ask for it, cancel it.</p>
      )}
      <Actions>
        {outcome === undefined && (
          <Button type="submit" kind="primary" busy={confirm.isBusy}>
            Confirm
          </Button>
        )}
        <Button kind="danger" onClick={cancel.submit} busy={cancel.isBusy}>
          Cancel the change
        </Button>
      </Actions>
    </Form>
  )
}
