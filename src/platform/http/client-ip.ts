/**
 * The address of the end user, as forwarded by a trusted proxy. Proxies write it in several
 * formats; it is normalized because requests are counted by it.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * @returns undefined when no trusted proxy forwarded an address: the address of the connection is
 *   that of the calling server, not of its user
 */
export function clientIp(request: Pick<FastifyRequest, 'ip' | 'ips'>): string | undefined {
  const isForwarded = (request.ips?.length ?? 0) > 1
  return isForwarded ? canonicalIp(request.ip) : undefined
}

const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

/**
 * Normalizes addresses such as `203.0.113.7:4711`, `[2001:DB8::7]` and `::ffff:203.0.113.7`.
 * @returns undefined when the text is no address
 */
export function canonicalIp(text: string): string | undefined {
  const match = WITH_PORT.exec(text.trim())
  const address = match?.[1] ?? match?.[2] ?? text.trim()
  if (isIPv4(address)) return address
  if (!isIPv6(address) || address.includes('%')) return undefined
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address
  return MAPPED.exec(spelled)?.[1] ?? spelled
}

const IPV6_SITE_GROUPS = 4

/**
 * The network by which requests of a client are counted: the address itself for IPv4, and the /64
 * for IPv6, because a subscriber can use any address in it.
 */
export function networkOf(text: string): string {
  const address = canonicalIp(text)
  if (address === undefined) return text
  if (isIPv4(address)) return address
  // The URL parser writes IPv4 tails as groups; `::` stands for the missing zeros.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const [before = [], after = []] = groups
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return `${[...before, ...zeros, ...after].slice(0, IPV6_SITE_GROUPS).join(':')}::/64`
}
