/** Opens credentials for those who send, and keeps what was opened for some minutes. */
import type { Clock } from '../../../platform/clock.ts'
import { SealedError, type Sealer } from '../../../platform/crypto/sealed.ts'
import {
  type CredentialRef,
  credentialContext,
  type ProviderCredential,
  readCredentialText,
} from './credential.ts'

export type CredentialKeeper = {
  /**
   * Undefined when the keys of this server do not open it (`UNOPENED` in `credential.ts`).
   *
   * @throws when the database is away
   */
  open(ref: CredentialRef & { readonly sealed: string }): Promise<ProviderCredential | undefined>
}

const KEPT_MS = 300_000
const KEPT_MAX = 1000

/** A version never changes, so that one is not used once another has replaced it. */
export function createCredentialKeeper(options: {
  sealer: Pick<Sealer, 'open'>
  clock: Clock
}): CredentialKeeper {
  const { sealer, clock } = options
  const kept = new Map<string, { credential: ProviderCredential; until_ms: number }>()

  /** Insertion is by time, so the first ones end first. */
  const forgetOld = (): void => {
    const now = clock.now().getTime()
    for (const [context, { until_ms }] of kept) {
      if (until_ms > now && kept.size < KEPT_MAX) break
      kept.delete(context)
    }
  }

  return {
    open: async (ref) => {
      const context = credentialContext(ref)
      const known = kept.get(context)
      if (known && known.until_ms > clock.now().getTime()) return known.credential
      const opened = await unlessUnopened(sealer.open(ref.sealed, context))
      if (opened === undefined) return undefined
      const credential = readCredentialText(opened.toString('utf8'))
      kept.delete(context)
      forgetOld()
      kept.set(context, { credential, until_ms: clock.now().getTime() + KEPT_MS })
      return credential
    },
  }
}

async function unlessUnopened(opening: Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await opening
  } catch (error) {
    if (error instanceof SealedError) return undefined
    throw error
  }
}
