/** Credentials of FCM and APNs, and the form in which they are sealed. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import type { ApnsCredential } from '../providers/apns-token.ts'
import { credentialRejected } from '../providers/port.ts'
import type { PushProvider } from '../tables.ts'

export type ProviderCredential =
  | { readonly provider: 'fcm'; readonly account: ServiceAccount }
  | { readonly provider: 'apns'; readonly key: ApnsCredential }

/** One version of a credential. Each replacement is a new version. */
export type CredentialRef = {
  readonly application_id: string
  readonly provider: PushProvider
  readonly version: string
}

/** Context that binds a sealed credential to its version. */
export const credentialContext = ({ application_id, provider, version }: CredentialRef): string =>
  `push_credential:${application_id}:${provider}:${version}`

/** Plaintext that is sealed and stored. */
export const credentialText = (credential: ProviderCredential): string => JSON.stringify(credential)

/** @param text of {@link credentialText} */
export const readCredentialText = (text: string): ProviderCredential =>
  JSON.parse(text) as ProviderCredential

/** Result of sending with a stored credential that cannot be opened. */
export const UNOPENED = credentialRejected(
  'unopened_credential',
  'The stored credential cannot be opened with the master keys of this server. Store it again, or restore the key.',
)

/** Public description of a credential: it identifies the key and reveals none of it. */
export function describeCredential(credential: ProviderCredential): Record<string, string> {
  if (credential.provider === 'fcm') {
    const { project_id, client_email, private_key_id, private_key } = credential.account
    return { project_id, client_email, private_key_id, key_sha256: fingerprintOf(private_key) }
  }
  const { team_id, key_id, private_key } = credential.key
  return { team_id, key_id, key_sha256: fingerprintOf(private_key) }
}

/** SHA-256 of the public key (DER), in hexadecimal. */
function fingerprintOf(privateKey: string): string {
  const publicKey = createPublicKey(createPrivateKey(privateKey))
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex')
}
