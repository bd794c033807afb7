/** Modal dialogs on the browser's `<dialog>`, which traps the focus and closes with Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import { ONE_COLUMN } from '../shell/media.ts'
import { Button } from './button.tsx'
import { TextField } from './fields.tsx'
import { Form, FormActions } from './form.tsx'
import { Icon } from './icon.tsx'

export type DialogProps = {
  title: string
  /** `side` is a panel at the edge, for the details of a row. */
  place?: 'middle' | 'side'
  /** Stays open when the browser closes it; `onClose` decides. */
  isGuarded?: boolean
  onClose: () => void
  children: ComponentChildren
}

/** Open for as long as it is rendered. */
export function Dialog({ title, place = 'middle', isGuarded, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isPressedOutside = useRef(false)
  useBack(place === 'side', onClose)
  // A passive effect would clean up after the next paint, when keys have already gone to the body.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const shown = dialog.current
    shown?.showModal()
    return () => {
      // Elements outside cannot take the focus while the dialog is open.
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
        // Cancel events bubble, for example from a file input.
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose()
      }}
      // The browser closes a dialog without a cancel event when Escape is pressed twice.
      onClose={({ target }) => {
        if (target !== dialog.current) return
        if (isGuarded === true && dialog.current?.isConnected) dialog.current.showModal()
        onClose()
      }}
      onPointerDown={(event) => {
        // A press on the backdrop has the dialog itself as its target.
        isPressedOutside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        // Selecting text and releasing outside also ends in a click on the backdrop.
        if (event.target === dialog.current && isPressedOutside.current) onClose()
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" aria-label="Close" onClick={onClose}>
            <Icon sign="close" />
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** On phones, details cover the page, so that Back is expected to close them. */
function useBack(isDetail: boolean, onClose: () => void): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useEffect(() => {
    if (!isDetail || !matchMedia(ONE_COLUMN).matches) return
    const { href } = window.location
    window.history.pushState({ isDetail }, '')
    const close = () => latest.current()
    window.addEventListener('popstate', close, { once: true })
    return () => {
      window.removeEventListener('popstate', close)
      const isOnTop = (window.history.state as { isDetail?: boolean } | null)?.isDetail === true
      if (isOnTop && window.location.href === href) window.history.back()
    }
  }, [])
}

type FormDialogProps = DialogProps & {
  /** Label of the submit button: "Create group". */
  action: string
  kind?: 'primary' | 'danger'
  disabled?: boolean
  change: { isPending: boolean; error: ApiError | null; mutate: () => void }
  /** Instead of `change.mutate`. */
  onSubmit?: () => void
}

export function FormDialog({ children, action, change, onSubmit, ...props }: FormDialogProps) {
  const { kind = 'primary', disabled = false, onClose } = props
  return (
    <Dialog {...props}>
      <Form onSubmit={() => (onSubmit ?? change.mutate)()} error={change.error}>
        {children}
        <FormActions busy={change.isPending} kind={kind} disabled={disabled} onCancel={onClose}>
          {action}
        </FormActions>
      </Form>
    </Dialog>
  )
}

export type ConfirmProps = Omit<FormDialogProps, 'kind' | 'disabled' | 'place'> & {
  /** Text that has to be typed first, for destructive actions. */
  typed?: string
}

/** Asks before a change. The children say what will happen and whether it can be undone. */
export function Confirm({ typed, children, ...props }: ConfirmProps) {
  const { change, onSubmit = change.mutate } = props
  const [text, setText] = useState('')
  const isReady = typed === undefined || text === typed
  return (
    <FormDialog {...props} kind="danger" disabled={!isReady} onSubmit={() => isReady && onSubmit()}>
      <div class="prose">{children}</div>
      {typed !== undefined && (
        <TextField
          label={`Type “${typed}” to confirm`}
          value={text}
          onChange={setText}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </FormDialog>
  )
}

type ConfirmButtonProps = Omit<ConfirmProps, 'onClose' | 'onSubmit' | 'change'> & {
  label: string
  size?: 'small'
  'aria-label'?: string
  change: Omit<ConfirmProps['change'], 'mutate'> & {
    mutate: (input: void, options?: { onSuccess: () => void }) => void
  }
}

/** A button for a change that has to be confirmed. */
export function ConfirmButton({ label, size, change, ...props }: ConfirmButtonProps) {
  const { 'aria-label': name, ...confirm } = props
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        kind="danger"
        {...(size && { size })}
        {...(name !== undefined && { 'aria-label': name })}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && (
        <Confirm
          {...confirm}
          change={{ ...change, mutate: () => change.mutate(undefined, { onSuccess: close }) }}
          onClose={close}
        />
      )}
    </>
  )
}
