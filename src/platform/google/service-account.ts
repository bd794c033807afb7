/**
 * Reads the key file of a Google service account. The file is untrusted input: only the members in
 * use are taken, and it cannot choose where requests go (`token_uri` is ignored).
 */
import { createPrivateKey } from 'node:crypto'
import { isObject } from '../is-object.ts'

export type ServiceAccount = {
  project_id: string
  client_email: string
  private_key_id: string
  /** PEM. */
  private_key: string
}

/** A sentence about the fault, which never quotes the file. */
export type ServiceAccountFault = { fault: string }

const FILE_MAX_CHARS = 65_536
const RSA_BITS_MIN = 2048
/**
 * https://cloud.google.com/resource-manager/docs/creating-managing-projects; the ids of old projects
 * start with a domain.
 */
const PROJECT_ID = /^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/
const EMAIL = /^[A-Za-z0-9._%+-]{1,128}@[A-Za-z0-9.-]{1,190}$/
const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/
const PEM = /^-----BEGIN (?:RSA )?PRIVATE KEY-----\n/

/**
 * Reads the JSON key file that Google issues
 * (https://cloud.google.com/iam/docs/keys-create-delete).
 */
export function readServiceAccount(text: string): ServiceAccount | ServiceAccountFault {
  if (text.length > FILE_MAX_CHARS) return fault('It is far too large')
  const members = parse(text)
  if (!members) return fault('It is not a JSON object')
  return readMembers(members)
}

/** Like {@link readServiceAccount}, for JSON that is already parsed. */
export function readMembers(
  members: Readonly<Record<string, unknown>>,
): ServiceAccount | ServiceAccountFault {
  const { type, project_id, client_email, private_key_id, private_key } = members
  if (type !== 'service_account') return fault('Its `type` is not `service_account`')
  if (!matches(project_id, PROJECT_ID)) return fault('Its `project_id` is not a valid project ID')
  if (!matches(client_email, EMAIL)) return fault('Its `client_email` is not an e-mail address')
  if (!matches(private_key_id, KEY_ID)) return fault('Its `private_key_id` is missing or invalid')
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
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value)

const fault = (about: string): ServiceAccountFault => ({ fault: about })
