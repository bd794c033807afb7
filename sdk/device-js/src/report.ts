/**
 * Signs a report: `vdr1.<payload>.<HMAC-SHA-256>`, both in base64url. The key of the HMAC is the SHA-256
 * hash of the public key, which the service has stored; the key itself it has not.
 */

/** Raised with the form of the payload. */
const VERSION = 'vdr1'
const ID_BYTES = 16

/** @returns undefined in pages without HTTPS, where browsers offer no cryptography */
export async function signReport(
  apiKey: string,
  facts: Record<string, unknown>,
): Promise<string | undefined> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  if (subtle === undefined) return undefined
  const text = new TextEncoder()
  const id = base64url(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
  const payload = JSON.stringify({ id, issued_at: Date.now(), key: hintOf(apiKey), ...facts })
  const signed = `${VERSION}.${base64url(text.encode(payload))}`
  const secret = await subtle.digest('SHA-256', text.encode(apiKey))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const mac = await subtle.sign('HMAC', key, text.encode(signed))
  return `${signed}.${base64url(new Uint8Array(mac))}`
}

/** As the service shows keys: `pk_live_…a1B2`. */
const hintOf = (apiKey: string): string => `${apiKey.slice(0, 8)}…${apiKey.slice(-4)}`

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
