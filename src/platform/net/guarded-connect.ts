/**
 * Opens TLS to a checked address, with the host name that it was checked for. No name is resolved
 * here, no proxy is used, and the certificate is always verified.
 */
import type { LookupFunction } from 'node:net'
import { connect, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { addressBytes, isSameAddress } from './address-bytes.ts'

export type GuardedConnectOptions = {
  /** IP address. */
  readonly address: string
  readonly port: number
  /** Host name for SNI and the certificate; undefined when the URL contains an address. */
  readonly name: string | undefined
  readonly secure_context: SecureContext
  /** For the TCP connection and the TLS handshake together. */
  readonly timeout_ms: number
  /** TLS session of an earlier connection to the same host and address, which shortens the handshake. */
  readonly session: Buffer | undefined
  /**
   * Called with each session that the server offers for later connections. `isResumed`: the certificate was
   * verified on an earlier connection.
   */
  readonly onSession: (session: Buffer, isResumed: boolean) => void
}

const KEEP_ALIVE_PROBE_MS = 60_000

/** A connector for the `connect` option of undici's Client. */
export function guardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const { address, port, name, secure_context, timeout_ms, session, onSession } = options
  return (_requested, done) => {
    const socket = connect({
      host: address,
      port,
      lookup: noLookup,
      secureContext: secure_context,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      ...(name !== undefined && { servername: name }),
      ...(session !== undefined && { session }),
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
    const timer = setTimeout(() => finish(fault('ETIMEDOUT', 'connect timed out')), timeout_ms)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    // Stays attached for the life of the socket: an error without a listener ends the process.
    socket.on('error', finish)
    socket.on('session', (offered) => onSession(offered, socket.isSessionReused()))
    socket.once('close', () => finish(fault('ECONNRESET', 'closed while connecting')))
    socket.once('secureConnect', () => {
      const isExpected = isPeer(socket.remoteAddress, address)
      finish(isExpected ? null : fault('EACCES', 'connected to another peer'))
    })
  }
}

/** The last defense: the other end must be the address that was checked. */
export function isPeer(remote: string | undefined, expected: string): boolean {
  const [one, other] = [addressBytes(remote ?? ''), addressBytes(expected)]
  return one !== undefined && other !== undefined && isSameAddress(one, other)
}

/** Node does not call this for addresses; if it ever did, the connection would fail. */
const noLookup: LookupFunction = (_name, _options, done) =>
  done(fault('EACCES', 'names are not resolved here'), '')

const fault = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code })
