/**
 * The sign-up that was started in this browser. Google returns to the console with a token. Its `state`
 * shows that the token belongs to this sign-up and was not put into an address by someone else.
 */
import { readStored, store } from '../../../shell/browser-storage.ts'

export type PendingSignup = {
  org_id: string
  state: string
  signup_url: string
  signup_url_name: string
  started_at: string
}

const STORED = 'vigil:enterprise-sign-up'

export function readPendingSignup(orgId: string): PendingSignup | undefined {
  try {
    const pending = JSON.parse(readStored(STORED) ?? 'null') as PendingSignup | null
    return pending?.org_id === orgId ? pending : undefined
  } catch {
    return undefined
  }
}

export const storePendingSignup = (pending: PendingSignup): void =>
  store(STORED, JSON.stringify(pending))

export const removePendingSignup = (): void => store(STORED, null)
