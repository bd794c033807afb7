/** The provider of the push benchmark in a process of its own: the emulator of FCM with its devices. */
import { Agent } from 'undici'
import type { Identity } from '../emulators/certificate.ts'
import { type FcmEmulator, startFcm } from '../emulators/fcm/index.ts'
import type { ServiceAccount } from '../emulators/google-oauth.ts'
import { FCM_SCOPE } from '../src/modules/push/providers/fcm.ts'
import { createAccessTokens } from '../src/platform/google/access-token.ts'
import { serveJobs } from './worker.ts'

export type PushProviderJob =
  | { step: 'start'; authority: Identity }
  | { step: 'add_devices'; count: number; package_name: string }
  /** Clears the counts. */
  | { step: 'begin' }
  | { step: 'end' }

export type PushProviderResult = {
  address?: ProviderAddress
  tokens?: string[]
  count?: ProviderCount
}

export type ProviderAddress = {
  url: string
  token_url: string
  account: ServiceAccount
  /** Access token of this account, valid for an hour. */
  access_token: string
}

export type ProviderCount = {
  /** Number of accepted requests, and of those that repeated an earlier one. */
  accepted: number
  repeated: number
  /** Time of the last response in milliseconds since 1970. */
  last_at_ms: number
}

export async function servePushProvider(): Promise<void> {
  let emulator: FcmEmulator | undefined
  await serveJobs<PushProviderJob, PushProviderResult>(async (job) => {
    if (job.step === 'start') emulator = await startFcm({ authority: job.authority, port: 0 })
    if (!emulator) throw new Error('the first job has to be "start"')
    const { control } = emulator
    switch (job.step) {
      case 'start':
        return { address: await addressOf(emulator) }
      case 'add_devices': {
        const { count, package_name } = job
        return { tokens: control.makePhones(count, { package_name }) }
      }
      case 'begin':
        control.clear()
        return {}
      case 'end': {
        const { accepted, repeated } = control.truth()
        const last_at_ms = Date.parse(control.requests().at(-1)?.at ?? '')
        return { count: { accepted, repeated, last_at_ms } }
      }
    }
  })
}

async function addressOf(emulator: FcmEmulator): Promise<ProviderAddress> {
  const { control, url, token_url, ca } = emulator
  const account = control.serviceAccount()
  const dispatcher = new Agent({ connect: { ca } })
  const answer = await createAccessTokens({
    account,
    token_url,
    scopes: [FCM_SCOPE],
    now: () => new Date(),
    timeout_ms: TOKEN_TIMEOUT_MS,
    dispatcher,
  }).token()
  await dispatcher.close()
  if (!answer.known) throw new Error(`the emulator issued no access token: ${answer.reason}`)
  return { url, token_url, account, access_token: answer.value }
}

const TOKEN_TIMEOUT_MS = 10_000
