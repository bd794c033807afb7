import { type ComponentChildren, createContext } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'

/** The last refusal of what is filled in, for the field that it names. */
export const FormErrorContext = createContext<ApiError | undefined>(undefined)

export type FormProps = {
  onSubmit: () => void
  /** Shown above the buttons, or beside the field that it names. */
  error?: ApiError | null | undefined
  class?: string
  children: ComponentChildren
}

export function Form({ onSubmit, error, class: extra, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const refusal = error ?? undefined
  useEffect(() => {
    // To what has to be mended.
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [refusal])
  return (
    <form
      ref={form}
      class={extra === undefined ? 'form' : `form ${extra}`}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormErrorContext.Provider value={refusal}>{children}</FormErrorContext.Provider>
      {refusal && (
        <p class="form-fault" role="alert">
          {refusal.message}
        </p>
      )}
    </form>
  )
}

/** Buttons of a form, the first one the most likely. */
export function Actions({ children }: { children: ComponentChildren }) {
  return <div class="actions">{children}</div>
}
