/** IP addresses and CIDR ranges as bytes, so that all spellings of an address are equal. */
import { isIPv4, isIPv6 } from 'node:net'

/** In network order: 4 bytes for IPv4 or 16 for IPv6. */
export type AddressBytes = Uint8Array

export type AddressRange = { readonly bytes: AddressBytes; readonly bits: number }

/** @returns undefined for host names, `127.1` and scoped addresses (`fe80::1%eth0`) */
export function addressBytes(text: string): AddressBytes | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (!isIPv6(text) || text.includes('%')) return undefined
  const [head = '', tail = ''] = text.split('::')
  const [before, after] = [groupBytes(head), groupBytes(tail)]
  const bytes = new Uint8Array(16)
  bytes.set(before, 0)
  bytes.set(after, 16 - after.length)
  return bytes
}

/**
 * Reads a range such as `192.0.2.0/24`; an address without a prefix length is a range of one.
 * @returns undefined for any other text
 */
export function addressRange(text: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bytes = addressBytes(address)
  if (bytes === undefined) return undefined
  const bits = length === undefined ? bytes.length * 8 : Number(length)
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined
}

/** Returns false when the families differ: an IPv4 range contains no IPv6 address, even a mapped one. */
export function isInRange(address: AddressBytes, { bytes, bits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false
  const whole = bits >> 3
  for (let index = 0; index < whole; index += 1) {
    if (address[index] !== bytes[index]) return false
  }
  const rest = 8 - (bits & 7)
  return rest === 8 || (address[whole] ?? 0) >> rest === (bytes[whole] ?? 0) >> rest
}

export const isSameAddress = (one: AddressBytes, other: AddressBytes): boolean =>
  isInRange(one, { bytes: other, bits: other.length * 8 })

const groupBytes = (text: string): number[] =>
  text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      if (group.includes('.')) return group.split('.').map(Number)
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 0xff]
    })
