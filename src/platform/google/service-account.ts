/**
 * The key file of a Google service account. What is in it comes from outside: only what is used is
 * taken, and nothing in it decides where a request goes (`token_uri` is not read).
 */
import { createPrivateKey } from 'node:crypto'

export type ServiceAccount = {
  project_id: string
  client_email: string
  private_key_id: string
  /** PEM. */
  private_key: string
}

/** A sentence about what is wrong; it never shows anything of the file. */
export type ServiceAccountFault = { fault: string }

const FILE_MAX_CHARS = 65_536
const RSA_BITS_MIN = 2048
/** https://cloud.google.com/resource-manager/docs/creating-managing-projects; with the domain of old ones. */
const PROJECT_ID = /^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/
const EMAIL = /^[A-Za-z0-9._%+-]{1,128}@[A-Za-z0-9.-]{1,190}$/
const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/
const PEM = /^-----BEGIN (?:RSA )?PRIVATE KEY-----\n/

/**
 * Reads the JSON that Google gives out for a key
 * (https://cloud.google.com/iam/docs/keys-create-delete).
 */
export function readServiceAccount(text: string): ServiceAccount | ServiceAccountFault {
  if (text.length > FILE_MAX_CHARS) return fault('It is far too large')
  const members = parse(text)
  if (!members) return fault('It is not a JSON object')
  return readMembers(members)
}

/** As {@link readServiceAccount}, from JSON that is parsed already. */
export function readMembers(
  members: Readonly<Record<string, unknown>>,
): ServiceAccount | ServiceAccountFault {
  const { type, project_id, client_email, private_key_id, private_key } = members
  if (type !== 'service_account') return fault('Its `type` is not `service_account`')
  if (!isForm(project_id, PROJECT_ID)) return fault('Its `project_id` is not that of a project')
  if (!isForm(client_email, EMAIL)) return fault('Its `client_email` is not an e-mail address')
  if (!isForm(private_key_id, KEY_ID)) return fault('Its `private_key_id` is missing or odd')
  if (typeof private_key !== 'string') return fault('Its `private_key` is missing')
  const pem = private_key.replaceAll('\r\n', '\n').trimStart()
  const about = keyFault(pem)
  if (about !== undefined) return fault(about)
  return { project_id, client_email, private_key_id, private_key: pem }
}

export const isFault = (read: ServiceAccount | ServiceAccountFault): read is ServiceAccountFault =>
  'fault' in read

function keyFault(pem: string): string | undefined {
  if (!PEM.test(pem)) return 'Its `private_key` is not a private key in PEM form'
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'rsa') return 'Its `private_key` is not an RSA key'
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (bits < RSA_BITS_MIN) return `Its \`private_key\` has fewer than ${RSA_BITS_MIN} bits`
    return undefined
  } catch {
    return 'Its `private_key` cannot be read'
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const isForm = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value)

const fault = (about: string): ServiceAccountFault => ({ fault: about })
