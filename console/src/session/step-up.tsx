/** A dialog for the second factor, when a request needs a recent proof; the request is then repeated. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import { useChange, useRead } from '../api/read.ts'
import { Button } from '../components/button.tsx'
import { Dialog, FormDialog } from '../components/dialog.tsx'
import { Loaded } from '../components/states.tsx'
import { CodeField } from './code-field.tsx'
import { useSession } from './context.ts'
import { hasPasskeys, signWithPasskey } from './passkey.ts'
import { CONSOLE_HEADER } from './session.ts'
import { useSubmit } from './use-submit.ts'

const TITLE = 'Confirm it is you'
const REASON = 'This action needs a second factor of the last ten minutes.'
const ME = '/console/api/me'
const PASSKEYS = '/console/api/me/passkeys'

type Asked = { answer: Promise<boolean>; settle: (isProved: boolean) => void }

export function StepUp() {
  const session = useSession()
  const asked = useRef<Asked | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    session.onProofNeeded(() => {
      // Requests of one page can need a proof at the same time.
      asked.current ??= promised()
      setOpen(true)
      return asked.current.answer
    })
  }, [session])
  const close = (isProved: boolean) => {
    setOpen(false)
    asked.current?.settle(isProved)
    asked.current = undefined
  }
  return isOpen ? <ProofDialog onProved={() => close(true)} onClose={() => close(false)} /> : null
}

function promised(): Asked {
  let settle: Asked['settle'] = () => undefined
  const answer = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  return { answer, settle }
}

type ProofProps = { onProved: () => void; onClose: () => void }
type Factors = { is_on: boolean; passkeys: number }

function ProofDialog(props: ProofProps) {
  const me = useRead<{ by_provider: boolean }>(ME)
  return me.data?.by_provider === true ? (
    <ProviderProof onClose={props.onClose} />
  ) : (
    <FactorProof {...props} />
  )
}

/** The page is left, so the request is not repeated. */
function ProviderProof({ onClose }: Pick<ProofProps, 'onClose'>) {
  const [path] = useLocation()
  const next = path + window.location.search
  const prove = useChange<void, { url: string }>(
    () => ({
      method: 'POST',
      path: `${ME}/provider/prove`,
      body: { next },
      headers: CONSOLE_HEADER,
    }),
    { quiet: true, onSuccess: ({ url }) => window.location.assign(url) },
  )
  return (
    <FormDialog title={TITLE} action="Sign in again" change={prove} onClose={onClose}>
      <p>
        This action needs a sign-in at your provider of the last ten minutes. You come back to this
        page; then repeat the action.
      </p>
    </FormDialog>
  )
}

function FactorProof({ onProved, onClose }: ProofProps) {
  const factors = useRead<Factors>('/console/api/me/second-factor')
  if (!factors.data) {
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <Loaded read={factors} what="your second factor">
          {() => null}
        </Loaded>
      </Dialog>
    )
  }
  const { is_on: hasApp, passkeys } = factors.data
  const passkey = passkeys > 0 && hasPasskeys() && <PasskeyProof onProved={onProved} />
  if (hasApp) {
    return (
      <CodeDialog onProved={onProved} onClose={onClose}>
        {passkey}
      </CodeDialog>
    )
  }
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <p>{REASON}</p>
      {passkey}
    </Dialog>
  )
}

function PasskeyProof({ onProved }: { onProved: () => void }) {
  const session = useSession()
  const prove = useSubmit(async () => {
    const method = 'POST'
    const options = await session.call<object>({ method, path: `${PASSKEYS}/challenge`, body: {} })
    const body = { response: await signWithPasskey(options) }
    await session.call({ method, path: `${PASSKEYS}/prove`, body })
    onProved()
  })
  return (
    <div class="stack">
      <Button onClick={prove.submit} busy={prove.isBusy}>
        Use a passkey
      </Button>
      {prove.error && (
        <p class="form-fault" role="alert">
          {prove.error.message}
        </p>
      )}
    </div>
  )
}

function CodeDialog({ onProved, onClose, children }: ProofProps & { children: ComponentChildren }) {
  const [code, setCode] = useState('')
  const prove = useChange(
    () => ({ method: 'POST', path: '/console/api/me/second-factor/prove', body: { code } }),
    { quiet: true, onSuccess: onProved },
  )
  return (
    <FormDialog title={TITLE} action="Confirm" change={prove} onClose={onClose}>
      <p>{REASON}</p>
      <CodeField value={code} onChange={setCode} />
      {children}
    </FormDialog>
  )
}
