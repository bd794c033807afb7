/** Another e-mail address for the account, which the old and the new one have to confirm. */
import { useState } from 'preact/hooks'
import type { EmailChange } from '../../../../src/modules/accounts/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  FormDialog,
  Loaded,
  Section,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import { useMe } from '../../shell/organization.ts'

const EMAIL = '/console/api/me/email'
type Read = { can_change: boolean; change: EmailChange | null }

export function EmailSection() {
  const { email } = useMe()
  const read = useRead<Read>(EMAIL)
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title="E-mail">
      <p>{email}</p>
      <Loaded read={read} what="the state of your e-mail">
        {({ can_change, change }) =>
          change ? (
            <Pending change={change} email={email} />
          ) : can_change ? (
            <Actions>
              <Button onClick={() => setOpen(true)}>Change e-mail</Button>
            </Actions>
          ) : (
            <p class="muted">
              The address can be changed on installations with a mail server, because both addresses
              have to confirm it.
            </p>
          )
        }
      </Loaded>
      {isOpen && <ChangeEmail onClose={() => setOpen(false)} />}
    </Section>
  )
}

function Pending({ change, email }: { change: EmailChange; email: string }) {
  const cancel = useChange(() => ({ method: 'DELETE', path: EMAIL }), {
    invalidates: [EMAIL],
    toast: 'The change was canceled',
  })
  const waiting = [
    ...(change.is_confirmed_by_old ? [] : [email]),
    ...(change.is_confirmed_by_new ? [] : [change.email]),
  ]
  return (
    <>
      <p>
        <strong>{change.email}</strong> replaces it when {waiting.join(' and ')} confirmed the link
        in the mail, until <Time at={change.expires_at} />.
      </p>
      <Actions>
        <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the change
        </Button>
      </Actions>
    </>
  )
}

function ChangeEmail({ onClose }: { onClose: () => void }) {
  const { values, field } = useFields({ email: '', password: '' })
  const change = useChange(() => ({ method: 'POST', path: EMAIL, body: values }), {
    invalidates: [EMAIL],
    toast: 'A mail with a link was sent to both addresses',
    onSuccess: onClose,
    quiet: true,
  })
  return (
    <FormDialog title="Change e-mail" action="Send the links" change={change} onClose={onClose}>
      <TextField
        label="New e-mail"
        type="email"
        {...field('email')}
        autocomplete="email"
        required
      />
      <TextField
        label="Your password"
        type="password"
        autocomplete="current-password"
        {...field('password')}
        required
      />
      <p class="muted">
        The present and the new address each get a link. The address changes when both have
        confirmed it.
      </p>
    </FormDialog>
  )
}
