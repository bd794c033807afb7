/**
 * The push service of a browser over HTTPS: a `POST` to the address of a subscription is checked as RFC 8030, 8291 and
 * 8292 say, decrypted with the keys of the browser, and answered with 201. Other addresses, and those that
 * unsubscribed, are 410.
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer } from 'node:https'
import { type Identity, issueCertificate } from './certificate.ts'
import { headersOf, readBody } from './http-message.ts'
import { listen } from './listen.ts'

export type PushService = {
  /** A browser subscribes with the key of the sender, and gets what `pushManager.subscribe` returns. */
  subscribe(publicKey: string): { endpoint: string; p256dh: string; auth: string }
  unsubscribe(endpoint: string): void
  /** Decrypted messages with their headers, oldest first. */
  readonly received: { endpoint: string; message: unknown; headers: Record<string, string> }[]
  close(): Promise<void>
}

type Browser = { ecdh: ReturnType<typeof createECDH>; auth: Buffer; publicKey: string }

const BODY_MAX_BYTES = 4096

export async function startPushService({
  authority,
}: {
  authority: Identity
}): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const received: PushService['received'] = []
  const server = createServer(
    issueCertificate(authority, ['127.0.0.1', 'localhost']),
    (incoming, response) => {
      const serve = async () => {
        const endpoint = `${origin}${incoming.url ?? ''}`
        const browser = browsers.get(endpoint)
        if (incoming.method !== 'POST' || !browser) return 410
        const body = await readBody(incoming, BODY_MAX_BYTES)
        const headers = headersOf(incoming)
        if (!isSender(headers['authorization'] ?? '', origin, browser.publicKey)) return 403
        if (headers['content-encoding'] !== 'aes128gcm' || !/^\d+$/.test(headers['ttl'] ?? ''))
          return 400
        received.push({ endpoint, message: JSON.parse(String(decrypt(body, browser))), headers })
        return 201
      }
      serve().then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(400).end(),
      )
    },
  )
  const { port } = await listen(server, { port: 0, host: '127.0.0.1' })
  const origin = `https://127.0.0.1:${port}`
  return {
    received,
    subscribe: (publicKey) => {
      const ecdh = createECDH('prime256v1')
      const p256dh = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      const endpoint = `${origin}/send/${randomBytes(12).toString('hex')}`
      browsers.set(endpoint, { ecdh, auth, publicKey })
      return { endpoint, p256dh, auth: auth.toString('base64url') }
    },
    unsubscribe: (endpoint) => {
      browsers.delete(endpoint)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The token is signed by the key that the browser subscribed with, and is for this service (RFC 8292). */
function isSender(authorization: string, origin: string, publicKey: string): boolean {
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== publicKey) return false
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { aud, exp, sub } = JSON.parse(String(Buffer.from(claims, 'base64url'))) as Record<
    string,
    unknown
  >
  const seconds = Math.floor(Date.now() / 1000)
  const isFresh = typeof exp === 'number' && exp > seconds && exp <= seconds + 86_400
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const signer = {
    key: createPublicKey({ key: jwk, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363',
  } as const
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    signer,
    Buffer.from(signature, 'base64url'),
  )
  return isSigned && isFresh && aud === origin && typeof sub === 'string'
}

/** Decrypts as a browser does (RFC 8291, section 3.4). */
function decrypt(body: Buffer, { ecdh, auth }: Browser): Buffer {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + (body[20] ?? 0))
  const record = body.subarray(21 + sender.length)
  const derive = (key: Buffer, by: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, by, info, bytes))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const secret = derive(ecdh.computeSecret(sender), auth, info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  return plain.subarray(0, plain.lastIndexOf(2))
}
