/** Sets up, renews and removes the second factor of the signed-in user. */
import { useState } from 'preact/hooks'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Badge,
  Button,
  Copyable,
  FormDialog,
  Loaded,
  SecretDialog,
  Section,
  TextField,
} from '../../components/index.ts'
import { QrCode } from '../../components/qr.tsx'
import { CodeField } from '../../session/code-field.tsx'

const PATH = '/console/api/me/second-factor'
const INVALIDATES = [PATH, '/console/api/me', '/console/api/members', '/console/api/audit']

type State = { is_on: boolean; recovery_codes_left: number }
type NewSecret = { secret: string; uri: string }
type Codes = { recovery_codes: string[] }
type Open = { name: 'set_up' | 'renew' | 'remove' } | { name: 'codes'; codes: string[] }

/** @param onSetUp called when the recovery codes have been stored */
export function SecondFactor({ onSetUp }: { onSetUp?: () => void }) {
  const state = useRead<State>(PATH)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const show = ({ recovery_codes: codes }: Codes) => setOpen({ name: 'codes', codes })
  return (
    <Section title="Second factor">
      <Loaded read={state} what="the second factor">
        {({ is_on, recovery_codes_left }) =>
          is_on ? (
            <>
              <p>
                <Badge tone="good">On</Badge> Signing in needs a code of your authenticator app. You
                have {recovery_codes_left} recovery codes left.
              </p>
              <Actions>
                <Button onClick={() => setOpen({ name: 'renew' })}>New recovery codes</Button>
                <Button kind="danger" onClick={() => setOpen({ name: 'remove' })}>
                  Remove second factor
                </Button>
              </Actions>
            </>
          ) : (
            <>
              <p>
                Your password is enough to sign in. With a second factor, signing in also needs a
                code of an app on your phone.
              </p>
              <Actions>
                <Button onClick={() => setOpen({ name: 'set_up' })}>Set up second factor</Button>
              </Actions>
            </>
          )
        }
      </Loaded>
      {open?.name === 'set_up' && <SetUp onDone={show} onClose={close} />}
      {open?.name === 'renew' && (
        <WithCode title="New recovery codes" path="recovery-codes" onDone={show} onClose={close}>
          The current recovery codes stop working.
        </WithCode>
      )}
      {open?.name === 'remove' && (
        <WithCode title="Remove second factor" path="remove" onDone={close} onClose={close}>
          Your password will be enough to sign in. The recovery codes stop working.
        </WithCode>
      )}
      {open?.name === 'codes' && (
        <RecoveryCodes
          codes={open.codes}
          onClose={() => {
            close()
            onSetUp?.()
          }}
        />
      )}
    </Section>
  )
}

type DialogProps = { onDone: (codes: Codes) => void; onClose: () => void }

function SetUp({ onDone, onClose }: DialogProps) {
  const [password, setPassword] = useState('')
  const begin = useChange<void, NewSecret>(
    () => ({ method: 'POST', path: `${PATH}/begin`, body: { password } }),
    { quiet: true },
  )
  if (begin.data) return <ConfirmCode created={begin.data} onDone={onDone} onClose={onClose} />
  return (
    <FormDialog title="Set up second factor" action="Continue" change={begin} onClose={onClose}>
      <TextField
        label="Your password"
        name="password"
        type="password"
        autocomplete="current-password"
        value={password}
        onChange={setPassword}
        required
      />
    </FormDialog>
  )
}

type ConfirmProps = DialogProps & { created: NewSecret }

function ConfirmCode({ created: { secret, uri }, onDone, onClose }: ConfirmProps) {
  const [code, setCode] = useState('')
  const confirm = useChange<void, Codes>(
    () => ({ method: 'POST', path: `${PATH}/confirm`, body: { code } }),
    { quiet: true, invalidates: INVALIDATES, onSuccess: onDone },
  )
  return (
    <FormDialog title="Scan with your app" action="Turn on" change={confirm} onClose={onClose}>
      <QrCode content={uri} label="QR code for an authenticator app. Its secret follows as text." />
      <Copyable text={secret} label="Copy secret" />
      <CodeField value={code} onChange={setCode} />
    </FormDialog>
  )
}

type WithCodeProps = DialogProps & { title: string; path: string; children: string }

function WithCode({ title, path, children, onDone, onClose }: WithCodeProps) {
  const [code, setCode] = useState('')
  const change = useChange<void, Codes>(
    () => ({ method: 'POST', path: `${PATH}/${path}`, body: { code } }),
    { quiet: true, invalidates: INVALIDATES, onSuccess: onDone },
  )
  return (
    <FormDialog title={title} action={title} kind="danger" change={change} onClose={onClose}>
      <p>{children}</p>
      <CodeField value={code} onChange={setCode} />
    </FormDialog>
  )
}

const RecoveryCodes = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <SecretDialog
    title="Your recovery codes"
    secret={codes.join('\n')}
    what="recovery codes"
    file="vigil-recovery-codes.txt"
    onClose={onClose}
  >
    <p>
      Each code works once in place of the app. Without the app and the codes, only the operator of
      this service can let you in.
    </p>
  </SecretDialog>
)
