import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { Badges } from '../../../src/modules/attention/schema.ts'

/** Number of notifications that last and that no one acknowledged. */
export const FiringContext = createContext(0)

/** What needs a person, for the menu. */
export const BadgesContext = createContext<Badges>({ cases: 0, alerts: 0, endpoints: 0 })

export const useFiring = (): number => useContext(FiringContext)

/** Sets the title of the window, which also names tabs and history entries: "(2) Orders · Vigil". */
export function useTitle(title: string): void {
  const firing = useFiring()
  useEffect(() => {
    document.title = `${firing > 0 ? `(${firing}) ` : ''}${title} · Vigil`
  }, [title, firing])
}
