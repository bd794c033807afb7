/** Page views: the load of a page, and each change of its path by a script. */
import { callAfter, listen, type Stop, stopAll } from './hooks.ts'
import type { RumView } from './types.ts'
import { plainUrl } from './urls.ts'

export type Views = {
  current: () => RumView
  /** Starts a view with the given name, by default the path. */
  begin: (name?: string) => void
  stop: Stop
}

/** `onView` is called for each view that starts; the first one starts with a call of `begin`. */
export function watchViews(onView: (view: RumView) => void): Views {
  const here = (): string => plainUrl(location.href, location.href)
  let current: RumView = { name: location.pathname, url: here() }
  let referrer = document.referrer && plainUrl(document.referrer, location.href)
  const begin = (name?: string): void => {
    const url = here()
    current = { name: name ?? pathOf(url), url }
    onView(referrer ? { ...current, referrer } : current)
    referrer = url
  }
  const follow = (): void => {
    if (here() !== current.url) begin()
  }
  const stop = stopAll(
    callAfter(history, 'pushState', follow),
    callAfter(history, 'replaceState', follow),
    listen(window, 'popstate', follow),
    listen(window, 'hashchange', follow),
  )
  return { current: () => current, begin, stop }
}

const pathOf = (url: string): string => url.replace(/^[^/]*\/\/[^/]*/, '') || '/'
