/**
 * An IP address as two unsigned 32-bit numbers: the whole of an IPv4 address in `high`, or the upper
 * 64 bits of an IPv6 address. IPv4-mapped addresses count as IPv4.
 */
import { isIPv4, isIPv6 } from 'node:net'

export type IpHalves = { readonly version: 4 | 6; readonly high: number; readonly low: number }

const MAPPED_IPV4 = /^(?:0*:)*:?ffff:([0-9.]+)$/i

export function parseIpHalves(address: string): IpHalves | undefined {
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  const plain = mapped !== undefined && isIPv6(address) ? mapped : address
  if (isIPv4(plain)) return { version: 4, high: numberOfIpv4(plain), low: 0 }
  if (!isIPv6(plain)) return undefined
  const [a, b, c, d] = upperGroups(plain)
  return { version: 6, high: ((a << 16) | b) >>> 0, low: ((c << 16) | d) >>> 0 }
}

function numberOfIpv4(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function upperGroups(address: string): [number, number, number, number] {
  const text = address.split('%')[0] ?? ''
  const [head = '', tail] = text.split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => 0)
  const [a = 0, b = 0, c = 0, d = 0] = [...front, ...zeros, ...back]
  return [a, b, c, d]
}

/** A dotted ending counts as two groups; it is in the lower half, so its value does not matter. */
function groupsOf(text: string): number[] {
  if (text === '') return []
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
