/** Passkeys of the browser. The library is loaded with the first use. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { ApiError } from '../api/client.ts'

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window

/** @throws ApiError when the user or the browser refuses */
export async function createPasskey(optionsJSON: object): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const options = optionsJSON as PublicKeyCredentialCreationOptionsJSON
  return await startRegistration({ optionsJSON: options }).catch(refuse)
}

/** @throws ApiError when the user or the browser refuses */
export async function signWithPasskey(optionsJSON: object): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const options = optionsJSON as PublicKeyCredentialRequestOptionsJSON
  return await startAuthentication({ optionsJSON: options }).catch(refuse)
}

function refuse(error: Error): never {
  const message =
    error.name === 'SecurityError'
      ? 'Browsers permit passkeys on pages with HTTPS and a host name only.'
      : error.name === 'InvalidStateError'
        ? 'This device already has a passkey of yours.'
        : 'The browser did not use a passkey: it was canceled or timed out.'
  throw new ApiError(message, { status: 0 })
}
