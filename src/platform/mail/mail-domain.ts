/** The domain of a `Message-ID`: an address of the network is none. */
import { isIPv4 } from 'node:net'

export function mailDomain(url: string): string {
  const { hostname } = new URL(url)
  return isIPv4(hostname) || hostname.startsWith('[') ? 'vigil.invalid' : hostname
}
