/**
 * The sign-up that was begun in this browser. The provider leads back with a token; that it belongs to
 * this sign-up, and was not put into an address by somebody else, its `state` tells.
 */
import { keep, readKept } from '../../../shell/kept.ts'

export type BegunSignup = {
  org_id: string
  state: string
  signup_url: string
  signup_url_name: string
  begun_at: string
}

const STORED = 'vigil:enterprise-sign-up'

export function readBegun(orgId: string): BegunSignup | undefined {
  try {
    const begun = JSON.parse(readKept(STORED) ?? 'null') as BegunSignup | null
    return begun?.org_id === orgId ? begun : undefined
  } catch {
    return undefined
  }
}

export const storeBegun = (begun: BegunSignup): void => keep(STORED, JSON.stringify(begun))

export const forgetBegun = (): void => keep(STORED, null)
