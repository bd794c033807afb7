/** The senders of both providers, created and closed together. */
import { GOOGLE_TOKEN_URL } from '../../../platform/google/access-token.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import type { ProviderCredential } from '../credentials/credential.ts'
import { APNS_URLS, createApnsSender } from './apns.ts'
import type { ApnsCredential } from './apns-token.ts'
import type { ConnectionOptions } from './connection.ts'
import { createFcmSender, FCM_URL } from './fcm.ts'
import {
  type AndroidMessage,
  type AppleMessage,
  type PushMessage,
  type PushSender,
  rejected,
  type SendResult,
} from './port.ts'

export type PushSenders = {
  readonly fcm: PushSender<AndroidMessage, ServiceAccount>
  readonly apns: PushSender<AppleMessage, ApnsCredential>
}

/** URLs override those of the providers. */
export type PushSenderOptions = ConnectionOptions & {
  readonly fcm_url?: string | undefined
  readonly fcm_token_url?: string | undefined
  readonly apns_url?: string | undefined
  readonly apns_sandbox_url?: string | undefined
  /** Deadline of one attempt. */
  readonly deadline_ms: number
  readonly now: () => Date
}

export function createPushSenders(options: PushSenderOptions): PushSenders {
  const { fcm_url, fcm_token_url, apns_url, apns_sandbox_url, ...shared } = options
  return {
    fcm: createFcmSender({
      ...shared,
      url: trimmed(fcm_url ?? FCM_URL),
      token_url: fcm_token_url ?? GOOGLE_TOKEN_URL,
    }),
    apns: createApnsSender({
      ...shared,
      urls: {
        production: trimmed(apns_url ?? APNS_URLS.production),
        sandbox: trimmed(apns_sandbox_url ?? APNS_URLS.sandbox),
      },
    }),
  }
}

/**
 * Never rejects, and ends by the deadline of the senders.
 * @param message must be for the provider of the credential
 */
export async function sendBy(
  senders: PushSenders,
  credential: ProviderCredential,
  message: PushMessage,
  options: { readonly signal: AbortSignal },
): Promise<SendResult> {
  if (credential.provider === 'fcm' && 'package_name' in message) {
    return await senders.fcm.send(message, credential.account, options)
  }
  if (credential.provider === 'apns' && 'bundle_id' in message) {
    return await senders.apns.send(message, credential.key, options)
  }
  return rejected('The message is for the other provider')
}

/** @param drainMs time that requests under way have to finish */
export async function closeSenders(senders: PushSenders, drainMs: number): Promise<void> {
  await Promise.all([senders.fcm.close(drainMs), senders.apns.close(drainMs)])
}

const trimmed = (url: string): string => url.replace(/\/+$/, '')
