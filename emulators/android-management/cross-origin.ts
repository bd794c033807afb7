/**
 * Recognizes requests of other web sites in the browser of the operator. Such a site can reach servers
 * on this machine and must not control them. Its requests have another origin or, after DNS rebinding,
 * another host name.
 */
import { isIP } from 'node:net'
import type { HttpRequest } from '../http-server.ts'

/** @param url URL of the emulator; one that listens for other machines accepts any host name */
export function isCrossOrigin({ headers }: Pick<HttpRequest, 'headers'>, url: string): boolean {
  const host = headers['host'] ?? ''
  const origin = headers['origin']
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return true
  }
  return isLocalName(hostnameIn(url)) && !isLocalName(hostnameIn(`http://${host}`))
}

const hostnameIn = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''

/** Any IP address counts, because DNS rebinding needs a name. */
const isLocalName = (name: string): boolean =>
  name === 'localhost' || (isIP(name) > 0 && name !== '0.0.0.0' && name !== '::')
