/**
 * Shows a new secret. Escape, the backdrop and the close button need a confirmation, because most secrets that they lose
 * cannot be restored.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Secret } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Actions } from './form.tsx'
import { saveFile } from './save-file.ts'

type Props = {
  title: string
  secret: string
  /** Name of the secret in sentences: "key". */
  what: string
  /** Name of the downloaded file. */
  file: string
  /** A sentence about the people who can show it again; undefined for secrets that Vigil does not keep. */
  again?: string
  onClose: () => void
  children?: ComponentChildren
}

export function SecretDialog({ title, secret, what, file, again, onClose, children }: Props) {
  const [isLeaving, setLeaving] = useState(false)
  const download = () => saveFile(new Blob([`${secret}\n`], { type: 'text/plain' }), file)
  return (
    <Dialog title={title} isGuarded onClose={() => setLeaving(true)}>
      <div class="stack">
        <Secret secret={secret} what={what} {...(again !== undefined && { again })} />
        {children}
        {isLeaving ? (
          <div class="notice badge-bad" role="alert">
            <p>
              Close without storing the {what}?{' '}
              {again ?? 'Vigil does not keep it and cannot show it again.'}
            </p>
            <Actions>
              <Button kind="primary" onClick={() => setLeaving(false)}>
                Keep it open
              </Button>
              <Button kind="danger" onClick={onClose}>
                Close without storing it
              </Button>
            </Actions>
          </div>
        ) : (
          <Actions>
            <Button kind="primary" onClick={onClose}>
              I have stored it
            </Button>
            <Button onClick={download}>Download</Button>
          </Actions>
        )}
      </div>
    </Dialog>
  )
}
