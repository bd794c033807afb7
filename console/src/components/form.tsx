import { type ComponentChildren, createContext } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import { Button, type ButtonProps } from './button.tsx'

/** The error of the last submission, for the field that it names. */
export const FormErrorContext = createContext<ApiError | undefined>(undefined)

export type FormProps = {
  onSubmit: () => void
  /** Shown below the form, and next to the field that it names. */
  error?: ApiError | null | undefined
  class?: string
  children: ComponentChildren
}

export function Form({ onSubmit, error, class: extra, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const current = error ?? undefined
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [current])
  return (
    <form
      ref={form}
      class={extra === undefined ? 'form' : `form ${extra}`}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormErrorContext.Provider value={current}>{children}</FormErrorContext.Provider>
      {current && (
        <p class="form-fault" role="alert">
          {current.message}
        </p>
      )}
    </form>
  )
}

/** Buttons of a form, the primary one first. */
export function Actions(props: { class?: string; children: ComponentChildren }) {
  const { class: extra = '', children } = props
  return <div class={`actions ${extra}`.trimEnd()}>{children}</div>
}

type FormActionsProps = Pick<ButtonProps, 'kind' | 'disabled' | 'children'> & {
  busy: boolean
  onCancel?: () => void
}

/** The submit button, and a cancel button in dialogs. @param children label of the submit button */
export function FormActions({ kind = 'primary', onCancel, ...submit }: FormActionsProps) {
  return (
    <Actions>
      <Button type="submit" kind={kind} {...submit} />
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    </Actions>
  )
}
