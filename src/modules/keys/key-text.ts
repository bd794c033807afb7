/** The text of an API key, which determines its type (specification, Authentication 3). */
import { isToken, newToken } from '../../platform/crypto/tokens.ts'
import type { Mode } from '../../platform/owner.ts'
import { KEY_TYPES, type KeyType } from './tables.ts'

export type KeyKind = 'secret' | 'public'

type KeyForm = { prefix: string; mode: Mode; kind: KeyKind }

const FORMS: Readonly<Record<KeyType, KeyForm>> = {
  live_secret: { prefix: 'sk_live_', mode: 'live', kind: 'secret' },
  test_secret: { prefix: 'sk_test_', mode: 'test', kind: 'secret' },
  live_public: { prefix: 'pk_live_', mode: 'live', kind: 'public' },
  test_public: { prefix: 'pk_test_', mode: 'test', kind: 'public' },
}
const HINT_CHARS = 4

/** A prefix, 32 random base62 characters and 6 characters of checksum. */
export const newKeyText = (type: KeyType): string => newToken(FORMS[type].prefix)

/** Needs no query. @returns undefined when the text cannot be a key */
export const keyTypeOf = (text: string): KeyType | undefined =>
  KEY_TYPES.find((type) => isToken(text, FORMS[type].prefix))

export const keyForm = (type: KeyType): KeyForm => FORMS[type]

/** Identifies a key to its owner without revealing it: `sk_live_…a1B2`. */
export const keyHint = (text: string, type: KeyType): string =>
  `${FORMS[type].prefix}…${text.slice(-HINT_CHARS)}`
