/** Short messages at the edge of the page, announced by screen readers. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'

export type ToastActions = {
  /** @param undo takes the change back, for as long as the message is shown */
  show: (text: string, undo?: () => void) => void
  warn: (text: string) => void
}

type Toast = { id: number; text: string; is_warning: boolean; undo: (() => void) | undefined }

const SHOWN_MS = 5000
/** Long enough to read it and to reach the button. */
const UNDO_SHOWN_MS = 15_000
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
  const remove = (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id))
  const actions = useMemo<ToastActions>(() => {
    const add = (shown_ms: number, toast: Omit<Toast, 'id'>) => {
      last.current += 1
      const id = last.current
      setToasts((before) => [...before, { id, ...toast }].slice(-SHOWN_MAX))
      setTimeout(() => remove(id), shown_ms)
    }
    return {
      show: (text, undo) => add(undo ? UNDO_SHOWN_MS : SHOWN_MS, { text, is_warning: false, undo }),
      warn: (text) => add(WARNING_SHOWN_MS, { text, is_warning: true, undo: undefined }),
    }
  }, [])
  return (
    <ToastContext.Provider value={actions}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, is_warning, undo }) => (
          <p key={id} class={is_warning ? 'toast toast-warning' : 'toast'}>
            {text}{' '}
            {undo && (
              <Button
                size="small"
                onClick={() => {
                  remove(id)
                  undo()
                }}
              >
                Undo
              </Button>
            )}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  )
}
