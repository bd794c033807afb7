/** Sends messages to the FCM emulator in tests, over one connection and with one access token. */
import type { FcmEmulator } from '../../emulators/fcm/index.ts'
import { tokenRequest } from './google-assertion.ts'
import { type Answer, connectTo, type TestClient } from './http2-client.ts'

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'

export type Sender = {
  readonly client: TestClient
  /** @param message `message` of the request */
  send: (message: unknown, rest?: object) => Promise<Answer>
  /** @param body sent unchanged */
  post: (body: string, options?: { project?: string; authorization?: string }) => Promise<Answer>
}

/** Requests an access token. @param claims override those of a valid assertion */
export async function requestToken(
  emulator: FcmEmulator,
  client: TestClient,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const form = await tokenRequest(emulator.control.serviceAccount(), SCOPE, claims)
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
