/**
 * TLS to an address that was judged, under the name that the address was judged for. No name is
 * resolved here, no proxy is asked, and the certificate is always checked.
 */
import type { LookupFunction } from 'node:net'
import { connect, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { addressBytes, isSameAddress } from './address-bytes.ts'

export type GuardedConnectOptions = {
  /** IP address. */
  readonly address: string
  readonly port: number
  /** For SNI and the certificate; undefined when the URL itself names an address. */
  readonly name: string | undefined
  readonly secure_context: SecureContext
  /** TCP and TLS together. */
  readonly timeout_ms: number
}

const KEEP_ALIVE_PROBE_MS = 60_000

/** For the `connect` option of undici's Pool. */
export function guardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const { address, port, name, secure_context, timeout_ms } = options
  return (_asked, done) => {
    const socket = connect({
      host: address,
      port,
      lookup: noLookup,
      secureContext: secure_context,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      ...(name !== undefined && { servername: name }),
    })
    let isOpen = true
    const finish = (error: Error | null) => {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      if (error === null) {
        done(null, socket)
        return
      }
      socket.destroy()
      done(error, null)
    }
    const timer = setTimeout(() => finish(fault('ETIMEDOUT', 'no connection in time')), timeout_ms)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    // Stays for the life of the socket: an error nobody listens for ends the process.
    socket.on('error', finish)
    socket.once('close', () => finish(fault('ECONNRESET', 'closed while connecting')))
    socket.once('secureConnect', () =>
      finish(
        isPeer(socket.remoteAddress, address) ? null : fault('EACCES', 'connected to another peer'),
      ),
    )
  }
}

/** The last fence: whatever went wrong before, the other end must be the address that was judged. */
export function isPeer(remote: string | undefined, judged: string): boolean {
  const [one, other] = [addressBytes(remote ?? ''), addressBytes(judged)]
  return one !== undefined && other !== undefined && isSameAddress(one, other)
}

/** Not called for addresses; should it ever be, nothing is connected. */
const noLookup: LookupFunction = (_name, _options, done) =>
  done(fault('EACCES', 'names are not resolved here'), '')

const fault = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code })
