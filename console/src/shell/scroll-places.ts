/** A page opens at its top. Going back returns to the place that was left, once the list is long enough again. */
import { useEffect, useRef } from 'preact/hooks'

const PAGES_MAX = 200
/** A list that is shorter by now never gets there. */
const RETURN_MS = 5000

export function useScrollPlaces(path: string): void {
  const places = useRef(new Map<string, number>())
  const returned = useRef({ href: '', top: 0 })
  const stop = useRef(() => {})

  useEffect(() => {
    const remember = () => {
      const known = places.current
      const { href } = window.location
      known.delete(href)
      known.set(href, window.scrollY)
      const [oldest] = known.keys()
      if (known.size > PAGES_MAX && oldest !== undefined) known.delete(oldest)
    }
    const onReturn = () => {
      // Read now, because the page that is still shown scrolls again.
      const { href } = window.location
      returned.current = { href, top: places.current.get(href) ?? 0 }
    }
    window.addEventListener('scroll', remember, { passive: true })
    window.addEventListener('popstate', onReturn)
    return () => {
      window.removeEventListener('scroll', remember)
      window.removeEventListener('popstate', onReturn)
    }
  }, [])

  useEffect(() => {
    stop.current()
    const { href } = window.location
    const top = returned.current.href === href ? returned.current.top : 0
    returned.current.href = ''
    window.scrollTo(0, 0)
    if (top > 0) stop.current = scrollWhenPossible(top)
    return () => stop.current()
  }, [path])
}

/** @returns gives up */
function scrollWhenPossible(top: number): () => void {
  const content = document.getElementById('content')
  const observer = new ResizeObserver(() => attempt())
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const event of BY_PERSON) window.removeEventListener(event, stop)
  }
  const timer = setTimeout(stop, RETURN_MS)
  const attempt = () => {
    if (document.documentElement.scrollHeight - window.innerHeight < top) return
    window.scrollTo(0, top)
    stop()
  }
  for (const event of BY_PERSON) window.addEventListener(event, stop, { passive: true })
  if (content) observer.observe(content)
  return stop
}

/** A person who scrolls in the meantime stays there. */
const BY_PERSON = ['wheel', 'touchmove', 'keydown'] as const
