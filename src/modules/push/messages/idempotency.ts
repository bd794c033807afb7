/**
 * At most one message per idempotency key (draft-ietf-httpapi-idempotency-key-header, with the status
 * codes of the specification). The key is stored in the same transaction as the message, so neither exists
 * without the other, and a concurrent request with the same key waits for that transaction.
 */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { findKey, insertKey, type KeyUse } from './idempotency.store.ts'
import type { Accepted, MessageRequest } from './schema.ts'

const HEADER = 'Idempotency-Key'
const KEY = /^[\x21-\x7e]{1,255}$/
/** RFC 8941, section 3.3.3. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * @param header value of the header, with or without double quotes
 * @throws AppError 400 naming `Idempotency-Key`
 */
export function readIdempotencyKey(header: string | string[] | undefined): string {
  if (header === undefined || header === '') {
    throw invalidRequest(HEADER, `the request header ${HEADER} is required`)
  }
  const text = String(header)
  const quoted = QUOTED.exec(text)?.[1]
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(.)/g, '$1')
  if (!KEY.test(key) || (quoted === undefined && text.startsWith('"'))) {
    throw invalidRequest(HEADER, `${HEADER} must have 1 to 255 visible ASCII characters`)
  }
  return key
}

/** @param request without unknown fields, so that they do not make it a different request */
export const fingerprintOf = (request: MessageRequest): Buffer =>
  createHash('sha256').update(canonicalJson(request)).digest()

/** A sweep can delete an expired key between the insert and the read, but hardly twice in a row. */
const ATTEMPTS_MAX = 3

/**
 * Reserves the key for the message, or returns the response to the request that used it first.
 * @throws AppError 400 naming `Idempotency-Key` if the key was used for a different request
 */
export async function reserveKey(
  tx: Db,
  use: KeyUse,
  messageId: string,
): Promise<Accepted | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    if (await insertKey(tx, use, messageId)) return undefined
    const first = await findKey(tx, use)
    if (!first) continue
    if (!use.fingerprint.equals(first.fingerprint)) {
      throw invalidRequest(HEADER, `${HEADER} was already used for a different request`)
    }
    const { message_id, status, targeted } = first.answer as Accepted
    // Restores the field order of the first response, which jsonb does not preserve.
    return { message_id, status, targeted }
  }
  throw new Error('an idempotency key could neither be inserted nor found')
}
