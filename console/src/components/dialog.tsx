/** Windows above the page: the browser's own dialog, which keeps the focus and closes by Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'
import { TextField } from './fields.tsx'
import { Actions, Form } from './form.tsx'

export type DialogProps = {
  title: string
  /** `side` is a panel at the edge, for the details of something in a list. */
  place?: 'middle' | 'side'
  onClose: () => void
  children: ComponentChildren
}

/** Open as long as it is drawn. */
export function Dialog({ title, place = 'middle', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isPressedOutside = useRef(false)
  useEffect(() => {
    const opener = document.activeElement
    const shown = dialog.current
    shown?.showModal()
    return () => {
      // Nothing outside of it takes the focus as long as it is open.
      shown?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog dialog-${place}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // That of a field for files, for one, is not about the dialog.
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        // The backdrop belongs to the dialog.
        isPressedOutside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        // Text that is selected to beyond the edge ends there as a click.
        if (event.target === dialog.current && isPressedOutside.current) onClose()
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

export type ConfirmProps = {
  title: string
  /** What will happen, and whether it can be taken back. */
  children: ComponentChildren
  /** What the button does: "Delete endpoint". */
  action: string
  /** Has to be typed first, for what destroys something. */
  typed?: string
  busy?: boolean
  error?: ApiError | null | undefined
  onConfirm: () => void
  onClose: () => void
}

export function Confirm(props: ConfirmProps) {
  const { title, children, action, typed, busy = false, error, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const isReady = typed === undefined || text === typed
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => isReady && onConfirm()} error={error}>
        <div class="prose">{children}</div>
        {typed !== undefined && (
          <TextField
            label={`Type “${typed}” to confirm`}
            value={text}
            onInput={setText}
            autocomplete="off"
            spellcheck={false}
          />
        )}
        <Actions>
          <Button type="submit" kind="danger" busy={busy} disabled={!isReady}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
