import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import { createPasswords } from '../passwords.ts'
import { createSessions } from './service.ts'
import { sweepExpired } from './store.ts'
import type { TokenPair } from './tokens.ts'

const LEEWAY_MS = 10_000

const db = testDatabase()
const newId = createIds()
const passwords = createPasswords()
const start = new Date('2030-01-01T00:00:00.500Z').getTime()
let now = start
const options = {
  db,
  newId,
  clock: { now: () => new Date(now) },
  log: createLog('silent'),
  passwords,
  checkCode: () => Promise.resolve('accepted' as const),
  access_token_secret: Buffer.alloc(32, 7),
  known_browser_secret: Buffer.alloc(32, 8),
  access_token_minutes: 15,
  refresh_token_days: 30,
  refresh_leeway_seconds: 10,
}
const sessions = createSessions(options)
beforeEach(() => {
  now = start
})

async function newUser(password?: string): Promise<{ id: string; email: string }> {
  const id = newId(new Date())
  const password_hash = password === undefined ? 'none' : await passwords.hash(password)
  const email = `${id}@example.com`
  await db.insertInto('users').values({ id, email, password_hash }).execute()
  return { id, email }
}

async function newSession(): Promise<TokenPair & { user_id: string }> {
  const user = await newUser()
  const pair = await sessions.issueTokens(user.id)
  if (pair === undefined) throw new Error('the user does not exist')
  return { ...pair, user_id: user.id }
}

const refresh = async (pair: TokenPair | undefined) =>
  await sessions.refresh(pair?.refresh_token ?? '')

async function countTokens(userId: string, tx: Db = db): Promise<number> {
  const rows = await tx
    .selectFrom('refresh_tokens as token')
    .innerJoin('sessions as session', 'session.id', 'token.session_id')
    .select('token.session_id')
    .where('session.user_id', '=', userId)
    .execute()
  return rows.length
}

describe('signing in', () => {
  it('returns a pair of tokens only for the correct e-mail and password', async () => {
    const { id, email } = await newUser('correct horse battery')
    const pair = await sessions.signIn(email, 'correct horse battery')
    expect(pair?.expires_at).toEqual(new Date('2030-01-01T00:15:00.000Z'))
    expect(await sessions.verifyAccess(pair?.access_token ?? '')).toMatchObject({ user_id: id })
    expect(await sessions.signIn(email, 'correct horse battery ')).toBeUndefined()
    expect(await sessions.signIn(email, '')).toBeUndefined()
    expect(await sessions.signIn(`x${email}`, 'correct horse battery')).toBeUndefined()
  })

  it('refuses malformed addresses and passwords', async () => {
    for (const email of ['', 'nobody', 'a\u0000@b.c', '@'.repeat(5000)]) {
      expect(await sessions.signIn(email, '\u0000')).toBeUndefined()
      expect(await sessions.issueTokens(email)).toBeUndefined()
      expect(
        await sessions.knowsBrowser({ user_id: newId(new Date()), password_mark: '' }, email),
      ).toBe(false)
    }
  })

  it('stores no usable token', async () => {
    const pair = await newSession()
    const { rows } = await sql<{ row: string }>`
      select token::text as row from refresh_tokens token
      join sessions session on session.id = token.session_id
      where session.user_id = ${pair.user_id}`.execute(db)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(pair.refresh_token.slice(4, 20))
  })
})

describe('a long token', () => {
  it('works for its days, and no longer than its session', async () => {
    const { id } = await newUser()
    const token = await sessions.issueLongToken(id, 90)
    expect(token?.expires_at).toEqual(new Date('2030-04-01T00:00:00.000Z'))
    now += 89 * DAY_MS
    const claims = await sessions.verifyAccess(token?.access_token ?? '')
    expect(claims).toMatchObject({ user_id: id })
    await db
      .deleteFrom('sessions')
      .where('id', '=', claims?.session_id ?? '')
      .execute()
    expect(await sessions.verifyAccess(token?.access_token ?? '')).toBeUndefined()
    const other = await sessions.issueLongToken(id, 1)
    now += DAY_MS
    expect(await sessions.verifyAccess(other?.access_token ?? '')).toBeUndefined()
    expect(await sessions.issueLongToken(newId(new Date()), 1)).toBeUndefined()
  })
})

describe('refreshing', () => {
  it('exchanges each token once for the next pair of the same session', async () => {
    const first = await newSession()
    now += 20 * MINUTE_MS
    const second = await refresh(first)
    expect(second?.refresh_token).not.toBe(first.refresh_token)
    expect(second?.expires_at).toEqual(new Date('2030-01-01T00:35:00.000Z'))
    const third = await refresh(second)
    expect(await sessions.verifyAccess(third?.access_token ?? '')).toEqual(
      await sessions.verifyAccess(second?.access_token ?? ''),
    )
  })

  it('ends the session, and no other, when a token is used again after the leeway', async () => {
    const first = await newSession()
    const elsewhere = await newSession()
    const second = await refresh(first)
    const third = await refresh(second)
    now += LEEWAY_MS
    expect(await refresh(first)).toBeUndefined()
    expect(await refresh(third)).toBeUndefined()
    expect(await countTokens(first.user_id)).toBe(0)
    expect(await refresh(elsewhere)).toBeDefined()
  })

  it('returns a working successor to each of many concurrent uses of a token', async () => {
    const first = await newSession()
    const pairs = await Promise.all(Array.from({ length: 6 }, () => refresh(first)))
    expect(new Set(pairs.map((pair) => pair?.refresh_token)).size).toBe(6)
    for (const pair of pairs) expect(await refresh(pair)).toBeDefined()
  })

  it('counts the leeway from the first use, however often the token is used', async () => {
    const first = await newSession()
    const second = await refresh(first)
    for (const passed of [0, 4000, 4000, 1999]) {
      now += passed
      expect(await refresh(first)).toBeDefined()
    }
    now += 1
    expect(await refresh(first)).toBeUndefined()
    expect(await refresh(second)).toBeUndefined()
    expect(await countTokens(first.user_id)).toBe(0)
  })

  it('detects a theft within the leeway once both parties have continued', async () => {
    for (const isThiefFirst of [true, false]) {
      const first = await newSession()
      const [own, stolen] = [await refresh(first), await refresh(first)]
      now += 15 * MINUTE_MS
      const [earlier, later] = isThiefFirst ? [stolen, own] : [own, stolen]
      const next = await refresh(earlier)
      now += LEEWAY_MS
      expect(next).toBeDefined()
      expect(await refresh(later)).toBeUndefined()
      expect(await refresh(next)).toBeUndefined()
      expect(await countTokens(first.user_id)).toBe(0)
    }
  })

  it('returns no successor in the leeway once the session has ended or the token has expired', async () => {
    const signedOut = await newSession()
    await refresh(signedOut)
    await sessions.signOut(signedOut.refresh_token)
    expect(await refresh(signedOut)).toBeUndefined()
    const old = await newSession()
    now += 30 * DAY_MS - 1
    await refresh(old)
    now += 1
    expect(await refresh(old)).toBeUndefined()
  })

  it('without a leeway lets exactly one of many uses succeed, and then ends the session', async () => {
    const strict = createSessions({ ...options, refresh_leeway_seconds: 0 })
    const first = await newSession()
    const present = () => strict.refresh(first.refresh_token)
    const pairs = await Promise.all(Array.from({ length: 6 }, present))
    const winners = pairs.filter((pair) => pair !== undefined)
    expect(winners).toHaveLength(1)
    expect(await refresh(winners[0])).toBeUndefined()
    expect(await countTokens(first.user_id)).toBe(0)
  })

  it('leaves no usable token when a theft is detected while the successor is being used', async () => {
    for (let round = 0; round < 10; round += 1) {
      const first = await newSession()
      const second = await refresh(first)
      now += LEEWAY_MS
      await Promise.all([refresh(first), refresh(second).then(refresh), refresh(first)])
      expect(await countTokens(first.user_id)).toBe(0)
    }
  })

  it('ends with the lifetime of the token, which each refresh renews', async () => {
    const first = await newSession()
    now += 30 * DAY_MS - 1
    const second = await refresh(first)
    now += 30 * DAY_MS - 1
    expect(second).toBeDefined()
    now += 1
    expect(await refresh(second)).toBeUndefined()
  })

  it('refuses malformed tokens, and tokens that were never issued', async () => {
    const { access_token } = await newSession()
    for (const text of ['', 'x', access_token, newToken('vrt_')]) {
      expect(await sessions.refresh(text)).toBeUndefined()
    }
  })
})

describe('signing out', () => {
  it('ends the session and its access tokens immediately', async () => {
    const first = await newSession()
    const elsewhere = await newSession()
    const second = await refresh(first)
    await sessions.signOut(second?.refresh_token ?? '')
    expect(await refresh(second)).toBeUndefined()
    for (const pair of [first, second]) {
      expect(await sessions.verifyAccess(pair?.access_token ?? '')).toBeUndefined()
    }
    expect(await sessions.verifyAccess(elsewhere.access_token)).toBeDefined()
  })

  it('is harmless for unknown tokens', async () => {
    const { refresh_token } = await newSession()
    await sessions.signOut('x')
    await sessions.signOut(newToken('vrt_'))
    expect(await sessions.refresh(refresh_token)).toBeDefined()
  })
})

describe('the retention of sessions', () => {
  it('deletes expired sessions and tokens only', async () => {
    const gone = await newSession()
    now += DAY_MS
    const remaining = await newSession()
    const used = await newSession()
    await refresh(used)
    // Rolled back at the end, because the sessions of other tests have also expired by then.
    const undone = db.transaction().execute(async (tx) => {
      await sweepExpired(tx, new Date(start + 30 * DAY_MS))
      expect(await countTokens(gone.user_id, tx)).toBe(0)
      expect(await countTokens(remaining.user_id, tx)).toBe(1)
      expect(await countTokens(used.user_id, tx)).toBe(2)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
  })

  it('deletes old tokens of a session that continues', async () => {
    const first = await newSession()
    now += DAY_MS
    const second = await refresh(first)
    const undone = db.transaction().execute(async (tx) => {
      await sweepExpired(tx, new Date(start + 30 * DAY_MS))
      expect(await countTokens(first.user_id, tx)).toBe(1)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await refresh(second)).toBeDefined()
  })
})
