/** Requests for access tokens of Google, with a signed assertion (RFC 7523). */
import { importPKCS8, SignJWT } from 'jose'

type Account = {
  client_email: string
  token_uri: string
  private_key_id: string
  private_key: string
}

/** @param claims override those of a valid assertion */
export async function tokenRequest(
  account: Account,
  scope: string,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<URLSearchParams> {
  const { client_email: iss, token_uri: aud, private_key_id: kid, private_key } = account
  const iat = Math.floor(Date.now() / 1_000)
  const assertion = await new SignJWT({ iss, scope, aud, iat, exp: iat + 3_600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(await importPKCS8(private_key, 'RS256'))
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  return new URLSearchParams({ grant_type, assertion })
}
