/** Short messages at the edge of the page, announced by screen readers. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'

export type ToastActions = { show: (text: string) => void; warn: (text: string) => void }

type Toast = { id: number; text: string; is_warning: boolean }

const SHOWN_MS = 5000
const WARNING_SHOWN_MS = 10_000
const SHOWN_MAX = 3

const ToastContext = createContext<ToastActions | undefined>(undefined)

export function useToasts(): ToastActions {
  const actions = useContext(ToastContext)
  if (!actions) throw new Error('useToasts needs a <Toasts> ancestor')
  return actions
}

export function Toasts({ children }: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const last = useRef(0)
  const actions = useMemo<ToastActions>(() => {
    const add = (text: string, is_warning: boolean) => {
      last.current += 1
      const id = last.current
      setToasts((before) => [...before, { id, text, is_warning }].slice(-SHOWN_MAX))
      const remove = () => setToasts((before) => before.filter((toast) => toast.id !== id))
      setTimeout(remove, is_warning ? WARNING_SHOWN_MS : SHOWN_MS)
    }
    return { show: (text) => add(text, false), warn: (text) => add(text, true) }
  }, [])
  return (
    <ToastContext.Provider value={actions}>
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
