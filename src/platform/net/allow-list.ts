/**
 * Targets in the internal network that the operator allows, for development and tests: hosts,
 * addresses and CIDR ranges, each with an optional port.
 */
import {
  type AddressBytes,
  type AddressRange,
  addressBytes,
  addressRange,
  isInRange,
} from './address-bytes.ts'
import { isHost } from './address-text.ts'
import { forbiddenRange } from './forbidden-address.ts'

export type AllowList = {
  /** The addresses of an allowed name do not matter. */
  readonly allowsName: (name: string, port: number) => boolean
  readonly allowsAddress: (address: AddressBytes, port: number) => boolean
  /** Whether any entry applies to this port. */
  readonly concernsPort: (port: number) => boolean
}

type Entry = { readonly port: number | undefined } & (
  | { readonly name: string }
  | { readonly range: AddressRange }
)

const PORT_MAX = 65_535
const NAT64_PREFIX_BYTES = 12

/**
 * Reads entries such as `receiver.test`, `receiver.test:8443`, `127.0.0.1:8443`, `10.0.0.0/8`,
 * `fd00::/8`, `[::1]:8443` and `[fd00::/8]:8443`, separated by commas. An entry without a port
 * allows every port.
 *
 * The range 64:ff9b::/96 (RFC 6052) is for networks that reach IPv4 through NAT64: the IPv4 address
 * inside is checked in place of the IPv6 address.
 *
 * A range with a prefix length of 0 contains every address and is rejected, because it would disable
 * the guard.
 * @throws Error naming the invalid entry
 */
export function readAllowList(text: string | readonly string[]): AllowList {
  const items = (typeof text === 'string' ? text.split(',') : text).map((item) => item.trim())
  const entries = items.filter((item) => item !== '').map(readEntry)
  const at = (port: number) => entries.filter((entry) => [undefined, port].includes(entry.port))
  const allowsAddress = (address: AddressBytes, port: number): boolean =>
    at(port).some((entry) => {
      if (!('range' in entry) || !isInRange(address, entry.range)) return false
      if (!isNat64(entry.range)) return true
      const inner = address.subarray(NAT64_PREFIX_BYTES)
      return forbiddenRange(inner) === undefined || allowsAddress(inner, port)
    })
  return {
    allowsAddress,
    allowsName: (name, port) => at(port).some((entry) => 'name' in entry && entry.name === name),
    concernsPort: (port) => at(port).length > 0,
  }
}

export function isAllowEntry(text: string): boolean {
  try {
    readEntry(text)
    return true
  } catch {
    return false
  }
}

function readEntry(text: string): Entry {
  const { host, port } = split(text)
  const range = addressRange(host)
  const isGoodPort = port === undefined || (port >= 1 && port <= PORT_MAX)
  if (isGoodPort && range !== undefined && range.bits > 0) return { range, port }
  if (isGoodPort && isHost(host)) return { name: host.toLowerCase().replace(/\.$/, ''), port }
  throw new Error(
    `"${text}" is not a host, IP address or CIDR range with an optional :PORT (IPv6 then in brackets)`,
  )
}

/** Without brackets, a text with several colons is IPv6 and has no port. */
function split(text: string): { host: string; port: number | undefined } {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/.exec(text)
  const plain = /^([^:[\]]*)(?::(\d{1,5}))?$/.exec(text)
  const [, host = text, port] = bracketed ?? plain ?? []
  return { host, port: port === undefined ? undefined : Number(port) }
}

const NAT64 = addressBytes('64:ff9b::') ?? new Uint8Array(16)

const isNat64 = ({ bits, bytes }: AddressRange): boolean =>
  bits === NAT64_PREFIX_BYTES * 8 && isInRange(NAT64, { bytes, bits })
