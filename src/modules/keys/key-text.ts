/**
 * The text of an API key, and what can be told from it alone (specification, Authentication 3).
 */
import { createHash } from 'node:crypto'
import { isToken, newToken } from '../../platform/crypto/tokens.ts'
import { KEY_TYPES, type KeyType } from '../../platform/postgres/tables/accounts.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'

export type KeyKind = 'secret' | 'public'

type KeyForm = { prefix: string; mode: Mode; kind: KeyKind }

const FORMS: Readonly<Record<KeyType, KeyForm>> = {
  live_secret: { prefix: 'sk_live_', mode: 'live', kind: 'secret' },
  test_secret: { prefix: 'sk_test_', mode: 'test', kind: 'secret' },
  live_public: { prefix: 'pk_live_', mode: 'live', kind: 'public' },
  test_public: { prefix: 'pk_test_', mode: 'test', kind: 'public' },
}
const HINT_CHARS = 4

/** Prefix, 32 random base62 characters, 6 of checksum. */
export const newKeyText = (type: KeyType): string => newToken(FORMS[type].prefix)

/** Without asking anybody: undefined when the text cannot be a key. */
export const keyTypeOf = (text: string): KeyType | undefined =>
  KEY_TYPES.find((type) => isToken(text, FORMS[type].prefix))

export const keyForm = (type: KeyType): KeyForm => FORMS[type]

/** Enough to recognise a key by, and of no use to anybody else: `sk_live_…a1B2`. */
export const keyHint = (text: string, type: KeyType): string =>
  `${FORMS[type].prefix}…${text.slice(-HINT_CHARS)}`

/** A key has 190 random bits, so a plain hash cannot be reversed, and can be looked up. */
export const keyHash = (text: string): Buffer => createHash('sha256').update(text).digest()
