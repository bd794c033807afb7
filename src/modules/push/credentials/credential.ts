/** Credentials of FCM and APNs, and the form in which they are sealed. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import type { ApnsCredential } from '../providers/apns-token.ts'
import { credentialRejected } from '../providers/port.ts'

export type ProviderCredential =
  | { readonly provider: 'fcm'; readonly account: ServiceAccount }
  | { readonly provider: 'apns'; readonly key: ApnsCredential }

/** One version of a credential: what becomes of an older one does not concern it. */
export type CredentialRef = {
  readonly application_id: string
  readonly provider: PushProvider
  readonly version: string
}

/** What a sealed credential is bound to. */
export const credentialContext = ({ application_id, provider, version }: CredentialRef): string =>
  `push_credential:${application_id}:${provider}:${version}`

/** What is sealed. */
export const credentialText = (credential: ProviderCredential): string => JSON.stringify(credential)

/** @param text of {@link credentialText} */
export const readCredentialText = (text: string): ProviderCredential =>
  JSON.parse(text) as ProviderCredential

/** Of a credential that is stored and cannot be opened. */
export const UNOPENED = credentialRejected(
  'unopened_credential',
  'The stored credential cannot be opened with the master keys of this server. Store it again, or restore the key.',
)

/** What may be shown: which key it is, and nothing of it. */
export function shownOf(credential: ProviderCredential): Record<string, string> {
  if (credential.provider === 'fcm') {
    const { project_id, client_email, private_key_id, private_key } = credential.account
    return { project_id, client_email, private_key_id, key_sha256: fingerprintOf(private_key) }
  }
  const { team_id, key_id, private_key } = credential.key
  return { team_id, key_id, key_sha256: fingerprintOf(private_key) }
}

/** SHA-256 of the public half (DER), in hexadecimal. */
function fingerprintOf(privateKey: string): string {
  const publicKey = createPublicKey(createPrivateKey(privateKey))
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex')
}
