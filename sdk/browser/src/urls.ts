/** Removes parts of URLs that can be personal: query, credentials, and fragments that are no route. */

export function plainUrl(url: string, base: string): string {
  try {
    const { protocol, host, pathname, hash } = new URL(url, base)
    const route = /^#!?\/[^?]*/.exec(hash)?.[0] ?? ''
    return `${protocol}//${host}${pathname}${route}`.slice(0, URL_MAX)
  } catch {
    return ''
  }
}

const URL_MAX = 1_000
