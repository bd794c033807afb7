/** A sender for tests of the FCM emulator: a connection, an access token, and messages. */
import { importPKCS8, SignJWT } from 'jose'
import { type Answered, connectTo, type TestClient } from '../push-testing.ts'
import type { FcmEmulator } from './index.ts'

export const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'

export type Sender = {
  readonly client: TestClient
  /** @param message `message` of the request */
  send: (message: unknown, rest?: object) => Promise<Answered>
  /** @param body of the request, as it is */
  post: (body: string, options?: { project?: string; authorization?: string }) => Promise<Answered>
}

/** @param claims in place of those that are right */
export async function requestToken(
  emulator: FcmEmulator,
  client: TestClient,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<Answered> {
  const account = emulator.control.serviceAccount()
  const seconds = Math.floor(Date.now() / 1_000)
  const assertion = await new SignJWT({
    iss: account.client_email,
    scope: SCOPE,
    aud: account.token_uri,
    iat: seconds,
    exp: seconds + 3_600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: account.private_key_id })
    .sign(await importPKCS8(account.private_key, 'RS256'))
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
  })
  return await client.request({ ':path': '/token' }, form.toString())
}

export async function createSender(emulator: FcmEmulator): Promise<Sender> {
  const client = await connectTo(emulator)
  const { body } = await requestToken(emulator, client)
  const bearer = `Bearer ${(body as { access_token: string }).access_token}`
  const post: Sender['post'] = (
    text,
    { project = 'vigil-emulator', authorization = bearer } = {},
  ) =>
    client.request(
      {
        ':path': `/v1/projects/${project}/messages:send`,
        ...(authorization !== '' && { authorization }),
        'content-type': 'application/json',
      },
      text,
    )
  return {
    client,
    send: (message, rest = {}) => post(JSON.stringify({ message, ...rest })),
    post,
  }
}
