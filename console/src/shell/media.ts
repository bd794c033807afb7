/** Whether the window is narrow, as the media queries of the styles with the same widths say. */
import { useEffect, useState } from 'preact/hooks'

/** Below it, a list and its details no longer fit side by side. */
export const ONE_COLUMN = '(width < 64rem)'
/** Below it, the menu covers the page. */
export const WITHOUT_MENU = '(width < 56rem)'

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const update = () => setMatches(list.matches)
    update()
    list.addEventListener('change', update)
    return () => list.removeEventListener('change', update)
  }, [query])
  return matches
}
