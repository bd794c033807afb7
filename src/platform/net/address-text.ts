/** Formats of server and network addresses in settings. Names are not resolved. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

const PORT_MAX = 65_535
const HOST_MAX_CHARS = 253
const HOST_NAME =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.?$/i

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`. */
export function isAddressAndPort(text: string): boolean {
  if (isPlainIp(text)) return true
  const { host, port } = split(text)
  if (!isPort(port)) return false
  return host.startsWith('[') ? isIPv6(bare(host)) && isPlainIp(bare(host)) : isIPv4(host)
}

/** An IP address, or a CIDR range of at least one bit. */
export function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (!isPlainIp(address)) return false
  const max = isIPv4(address) ? 32 : 128
  return bits === undefined || (Number(bits) >= 1 && Number(bits) <= max)
}

/** An IP address or a host name. */
export function isHost(text: string): boolean {
  // A name whose last label is a number is a malformed IPv4 address.
  const isName = HOST_NAME.test(text) && !/(?:^|\.)\d+\.?$/.test(text)
  return isPlainIp(text) || (text.length <= HOST_MAX_CHARS && isName)
}

/** A host with an optional port; an IPv6 address with a port needs brackets. */
export function isHostAndPort(text: string): boolean {
  if (isAddressAndPort(text)) return true
  const { host, port } = split(text)
  return isHost(host) && isPort(port)
}

/** Scoped addresses (`fe80::1%eth0`) have a different meaning on each machine. */
const isPlainIp = (text: string): boolean => isIP(text) !== 0 && !text.includes('%')

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

function split(text: string): { host: string; port: string | undefined } {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? []
  return { host, port }
}

const isPort = (text: string | undefined): boolean =>
  text === undefined || (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX)
