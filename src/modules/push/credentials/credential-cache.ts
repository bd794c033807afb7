/** Opens sealed credentials for sending and caches them for some minutes. */
import type { Clock } from '../../../platform/clock.ts'
import { SealedError, type Sealer } from '../../../platform/crypto/sealed.ts'
import {
  type CredentialRef,
  credentialContext,
  type ProviderCredential,
  readCredentialText,
} from './credential.ts'

export type CredentialCache = {
  /**
   * @returns undefined when the master keys of this server cannot open it (`UNOPENED` in `credential.ts`)
   * @throws when the database is unavailable
   */
  open(ref: CredentialRef & { readonly sealed: string }): Promise<ProviderCredential | undefined>
}

const CACHE_MS = 300_000
const CACHE_MAX = 1000

/** Entries are keyed by version and versions are immutable, so a replaced credential is never used. */
export function createCredentialCache(options: {
  sealer: Pick<Sealer, 'open'>
  clock: Clock
}): CredentialCache {
  const { sealer, clock } = options
  const cache = new Map<string, { credential: ProviderCredential; until_ms: number }>()

  /** A map iterates in the order of insertion, so entries come in the order in which they expire. */
  const evict = (): void => {
    const now = clock.now().getTime()
    for (const [context, { until_ms }] of cache) {
      if (until_ms > now && cache.size < CACHE_MAX) break
      cache.delete(context)
    }
  }

  return {
    open: async (ref) => {
      const context = credentialContext(ref)
      const cached = cache.get(context)
      if (cached && cached.until_ms > clock.now().getTime()) return cached.credential
      const opened = await openOrUndefined(sealer.open(ref.sealed, context))
      if (opened === undefined) return undefined
      const credential = readCredentialText(opened.toString('utf8'))
      cache.delete(context)
      evict()
      cache.set(context, { credential, until_ms: clock.now().getTime() + CACHE_MS })
      return credential
    },
  }
}

async function openOrUndefined(opening: Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await opening
  } catch (error) {
    if (error instanceof SealedError) return undefined
    throw error
  }
}
