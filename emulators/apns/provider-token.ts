/**
 * Provider tokens
 * (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns):
 * signed with ES256 by a known key, at most an hour old, rarely renewed, one key per connection.
 */
import { verify } from 'node:crypto'
import type { Connection } from '../http2-wire.ts'
import type { Core, Key } from './core.ts'
import { ApnsError } from './reasons.ts'

const AGE_MAX_S = 3_600
/** Tolerance for differing clocks; a token that is further ahead is not valid yet. */
const AHEAD_MAX_S = 60
const UPDATES_WINDOW_MS = 1_200_000
const VERIFIED_MAX = 10_000

/**
 * Verifies the token of a request. The first valid token of a connection raises its limit of streams.
 * @throws ApnsError with the reason that Apple gives for an invalid token
 */
export function checkProviderToken(
  core: Core,
  authorization: string | undefined,
  connection: Connection,
): Key {
  const [, token] = /^bearer\s+(\S+)$/i.exec(authorization ?? '') ?? []
  if (token === undefined) throw new ApnsError('MissingProviderToken')
  const { key, iat_s } = verifyToken(core, token)
  if (key.is_revoked) throw new ApnsError('InvalidProviderToken')
  if (!key.environments.includes(core.environment)) {
    throw new ApnsError('BadEnvironmentKeyIdInToken')
  }
  const age_s = core.now().getTime() / 1_000 - iat_s
  if (age_s > AGE_MAX_S) throw new ApnsError('ExpiredProviderToken')
  if (age_s < -AHEAD_MAX_S) throw new ApnsError('InvalidProviderToken')
  countUpdate(core, key, core.quotas.tokens_differ_by === 'iat' ? String(iat_s) : token)
  bindConnection(core, key, connection)
  return key
}

function bindConnection(core: Core, key: Key, connection: Connection): void {
  const bound = core.keys_of_connections.get(connection)
  if (bound !== undefined && bound !== key.key_id) throw new ApnsError('UnrelatedKeyIdInToken')
  if (bound === undefined) core.keys_of_connections.set(connection, key.key_id)
  connection.allowStreams(core.quotas.streams_max)
}

/** Apple allows one new token in 20 minutes. A token that was accepted before is accepted again. */
function countUpdate(core: Core, { tokens_seen }: Key, identity: string): void {
  if (tokens_seen.has(identity)) return
  const at_ms = core.now().getTime()
  for (const [seen, first_ms] of tokens_seen) {
    if (first_ms < at_ms - AGE_MAX_S * 1_000) tokens_seen.delete(seen)
  }
  const recent = [...tokens_seen.values()].filter((first) => first > at_ms - UPDATES_WINDOW_MS)
  const max = core.quotas.token_updates_max ?? Number.POSITIVE_INFINITY
  if (recent.length >= max) throw new ApnsError('TooManyProviderTokenUpdates')
  tokens_seen.set(identity, at_ms)
}

/** Verifies a signature once, because every message carries the same token. */
function verifyToken(core: Core, token: string): { key: Key; iat_s: number } {
  const known = core.verified.get(token)
  if (known !== undefined) return known
  const [header = '', claims = '', signature = '', ...rest] = token.split('.')
  const { alg, kid } = readPart(header)
  const { iss, iat } = readPart(claims)
  const key = typeof kid === 'string' ? core.keys.get(kid) : undefined
  const isWhole = rest.length === 0 && alg === 'ES256' && typeof iat === 'number'
  if (!isWhole || key === undefined || key.team_id !== iss) {
    throw new ApnsError('InvalidProviderToken')
  }
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: key.public_key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isGenuine) throw new ApnsError('InvalidProviderToken')
  if (core.verified.size >= VERIFIED_MAX) core.verified.clear()
  const verified = { key, iat_s: iat }
  core.verified.set(token, verified)
  return verified
}

function readPart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
