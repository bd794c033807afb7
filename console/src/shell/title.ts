import { useEffect } from 'preact/hooks'

/** Sets the title of the window, which also names tabs and history entries. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Vigil`
  }, [title])
}
