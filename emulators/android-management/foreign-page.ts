/**
 * Pages of other sites in the browser of whoever runs the emulator. They reach what listens on this
 * machine, and must not steer it: requests of theirs bear another origin, or, where their name was made to
 * lead here, that name.
 */
import { isIP } from 'node:net'
import type { HttpRequest } from '../http-server.ts'

/** @param url of the emulator: one that listens for others is called by any name */
export function isFromForeignPage({ headers }: Pick<HttpRequest, 'headers'>, url: string): boolean {
  const host = headers['host'] ?? ''
  const origin = headers['origin']
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return true
  }
  return isOfThisMachine(nameIn(url)) && !isOfThisMachine(nameIn(`http://${host}`))
}

const nameIn = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''

/** Any address will do: a page is of a site by its name. */
const isOfThisMachine = (name: string): boolean =>
  name === 'localhost' || (isIP(name) > 0 && name !== '0.0.0.0' && name !== '::')
