/**
 * The address of the end user, as told by a trusted proxy. Proxies write it in several ways; one
 * user must be one text, because the address is counted.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Undefined when nobody trusted told it: the address of the connection is that of the calling
 * server, not of its user.
 */
export function clientIp(request: Pick<FastifyRequest, 'ip' | 'ips'>): string | undefined {
  const isForwarded = (request.ips?.length ?? 0) > 1
  return isForwarded ? canonicalIp(request.ip) : undefined
}

const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

/**
 * `203.0.113.7:4711`, `[2001:DB8::7]` and `::ffff:203.0.113.7` under their usual spelling.
 * @returns undefined for what is no address
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
 * What the address of a client is counted under: the address for IPv4, its /64 for IPv6, because
 * one subscriber has at least that much to choose from.
 */
export function networkOf(text: string): string {
  const address = canonicalIp(text)
  if (address === undefined) return text
  if (isIPv4(address)) return address
  // The URL parser spells IPv4 tails as groups; `::` stands for as many zeros as are missing.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const [before = [], after = []] = groups
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return `${[...before, ...zeros, ...after].slice(0, IPV6_SITE_GROUPS).join(':')}::/64`
}
