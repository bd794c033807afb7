/**
 * One message per key of the caller (draft-ietf-httpapi-idempotency-key-header, with the statuses that
 * there are here). The key is stored in the transaction that stores the message, so there is never the
 * one without the other; whoever comes with it at the same moment waits for the end of that.
 */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { findKey, insertKey, type KeyUse } from './keys/store.ts'
import type { Accepted, MessageRequest } from './schema.ts'

const HEADER = 'Idempotency-Key'
const KEY = /^[\x21-\x7e]{1,255}$/
/** RFC 8941, section 3.3.3. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * @param header as it came: a string in double quotes, or bare
 * @throws AppError 400 naming `Idempotency-Key`
 */
export function readIdempotencyKey(header: string | string[] | undefined): string {
  if (header === undefined || header === '') {
    throw invalidRequest(HEADER, `${HEADER} is required, as a header of the request`)
  }
  const given = String(header)
  const quoted = QUOTED.exec(given)?.[1]
  const key = quoted === undefined ? given : quoted.replaceAll(/\\(.)/g, '$1')
  if (!KEY.test(key) || (quoted === undefined && given.startsWith('"'))) {
    throw invalidRequest(HEADER, `${HEADER} must have 1 to 255 visible ASCII characters`)
  }
  return key
}

/** @param request without members that mean nothing */
export const fingerprintOf = (request: MessageRequest): Buffer =>
  createHash('sha256').update(canonicalJson(request)).digest()

/** The key was swept between two looks: once more than it can be. */
const LOOKS_MAX = 3

/**
 * Takes the key for the message, or finds the answer of the request that took it before.
 * @throws AppError 400 naming `Idempotency-Key`, for another request
 */
export async function takeKey(
  tx: Db,
  use: KeyUse,
  messageId: string,
): Promise<Accepted | undefined> {
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    if (await insertKey(tx, use, messageId)) return undefined
    const first = await findKey(tx, use)
    if (!first) continue
    if (!use.fingerprint.equals(first.fingerprint)) {
      throw invalidRequest(HEADER, `${HEADER} was used for another request`)
    }
    const { message_id, status, targeted } = first.answer as Accepted
    // In the order of the first answer, which the database does not keep.
    return { message_id, status, targeted }
  }
  throw new Error('an idempotency key can be neither taken nor found')
}
