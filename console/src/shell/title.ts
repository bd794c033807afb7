import { useEffect } from 'preact/hooks'

/** Of the window, so that tabs and history can be told apart. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Vigil`
  }, [title])
}
