/** `vigil push test`: sends one notification to test a credential. */
import type { PushPart } from '../../app/push.ts'
import type { PushProvider } from '../../modules/push/tables.ts'
import { CommandError, type Io, type Output } from '../io.ts'
import {
  type ApplicationOptions,
  asCommandError,
  credentialLines,
  noApplication,
  withPush,
} from './push-command.ts'

/** A certificate authority in PEM that is trusted instead of the default ones. */
export type Trust = { ca?: string }

type TestOptions = ApplicationOptions & {
  provider: PushProvider
  subscription?: string
  token?: string
}

export const sendTest =
  ({ ca }: Trust) =>
  async (io: Io, options: TestOptions): Promise<Output> =>
    await withPush(io, options.org, async (part) => await send(part, options), { push_ca: ca })

async function send(
  { test_sends }: PushPart,
  { org, application, provider, subscription, token }: TestOptions,
): Promise<Output> {
  const device = { subscription_id: subscription, token }
  const request = { org_id: org, application_id: application, provider, ...device }
  const result = await asCommandError(test_sends.send(request))
  if (!result) throw noApplication(org, application)
  const { accepted, reason, credential } = result
  if (!accepted) {
    const error = credential.error === null ? '' : ` (${credential.error})`
    throw new CommandError(`Not accepted: ${reason}. Credential: ${credential.status}${error}`)
  }
  return { json: result, lines: ['Accepted', ...credentialLines(credential)] }
}
