/** Short news at the edge of the page, read out by screen readers. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'

export type Tellers = {
  tell: (text: string) => void
  warn: (text: string) => void
}

type Toast = { id: number; text: string; is_warning: boolean }

const SHOWN_MS = 5000
const WARNING_SHOWN_MS = 10_000
const SHOWN_MAX = 3

const ToastContext = createContext<Tellers | undefined>(undefined)

export function useToasts(): Tellers {
  const tellers = useContext(ToastContext)
  if (!tellers) throw new Error('There are no toasts around this')
  return tellers
}

export function Toasts({ children }: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const last = useRef(0)
  const tellers = useMemo<Tellers>(() => {
    const add = (text: string, is_warning: boolean) => {
      last.current += 1
      const id = last.current
      setToasts((before) => [...before, { id, text, is_warning }].slice(-SHOWN_MAX))
      const remove = () => setToasts((before) => before.filter((toast) => toast.id !== id))
      setTimeout(remove, is_warning ? WARNING_SHOWN_MS : SHOWN_MS)
    }
    return { tell: (text) => add(text, false), warn: (text) => add(text, true) }
  }, [])
  return (
    <ToastContext.Provider value={tellers}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, is_warning }) => (
          <p key={id} class={is_warning ? 'toast toast-warning' : 'toast'}>
            {text}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  )
}
