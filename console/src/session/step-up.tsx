/** A dialog for a code of the second factor, when a request needs a recent proof; the request is then repeated. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useChange } from '../api/read.ts'
import { FormDialog } from '../components/dialog.tsx'
import { CodeField } from './code-field.tsx'
import { useSession } from './context.ts'

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

function ProofDialog({ onProved, onClose }: { onProved: () => void; onClose: () => void }) {
  const [code, setCode] = useState('')
  const prove = useChange(
    () => ({ method: 'POST', path: '/console/api/me/second-factor/prove', body: { code } }),
    { quiet: true, onSuccess: onProved },
  )
  return (
    <FormDialog title="Confirm it is you" action="Confirm" change={prove} onClose={onClose}>
      <p>This action needs a code that is at most ten minutes old.</p>
      <CodeField value={code} onChange={setCode} />
    </FormDialog>
  )
}
