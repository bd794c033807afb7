/** Sends notifications to the APNs emulator in tests, over one connection. */
import { sign } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http2'
import type { ApnsEmulator, ApnsKey } from '../../emulators/apns/index.ts'
import { type Answer, connectTo, type TestClient } from './http2-client.ts'

export const PAYLOAD = JSON.stringify({ aps: { alert: 'Hello' } })

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a provider token. @param overrides of the claims and the header of a valid token */
export function providerToken(
  key: ApnsKey,
  overrides: { iat?: number | string; iss?: string; kid?: string; alg?: string } = {},
): string {
  const { alg = 'ES256', kid = key.key_id, iss = key.team_id } = overrides
  const iat = overrides.iat ?? Math.floor(Date.now() / 1_000)
  const content = `${part({ alg, kid })}.${part({ iss, iat })}`
  const signature = sign('sha256', Buffer.from(content), {
    key: key.private_key,
    dsaEncoding: 'ieee-p1363',
  })
  return `${content}.${signature.toString('base64url')}`
}

export type Sender = {
  readonly client: TestClient
  /** @param headers override those of a valid request; undefined omits a header */
  send: (token: string, headers?: OutgoingHttpHeaders, payload?: string) => Promise<Answer>
}

export async function createSender(
  emulator: ApnsEmulator,
  provider = providerToken(emulator.control.signingKey()),
): Promise<Sender> {
  const client = await connectTo(emulator)
  return {
    client,
    send: (token, headers = {}, payload = PAYLOAD) => {
      const all = {
        ':path': `/3/device/${token}`,
        authorization: `bearer ${provider}`,
        'apns-topic': 'com.example.app',
        'apns-push-type': 'alert',
        ...headers,
      }
      const sent = Object.entries(all).filter(([, value]) => value !== undefined)
      return client.request(Object.fromEntries(sent), payload)
    },
  }
}
