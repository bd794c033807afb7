/** Page views: the load of a page, and where its script takes the address without one. */
import { callAfter, listen, type Stop } from './hooks.ts'
import type { RumView } from './types.ts'
import { plainUrl } from './urls.ts'

export type Views = {
  current: () => RumView
  /** Begins a view, under a name of your own or by the path. */
  begin: (name?: string) => void
  stop: Stop
}

/** `onView` is told of each that begins, the first included once `begin` was called. */
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
  const stops = [
    callAfter(history, 'pushState', follow),
    callAfter(history, 'replaceState', follow),
    listen(window, 'popstate', follow),
    listen(window, 'hashchange', follow),
  ]
  return { current: () => current, begin, stop: () => stops.forEach((stop) => stop()) }
}

const pathOf = (url: string): string => url.replace(/^[^/]*\/\/[^/]*/, '') || '/'
