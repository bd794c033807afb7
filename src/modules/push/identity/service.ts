/** Issues identity assertions to the backends of organizations and verifies them. */

import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { requireApplication } from '../../applications/index.ts'
import { type Assertion, type Audience, signAssertion, verifyAssertion } from './assertion.ts'
import { createIdentityKeys, type IdentityKeyOptions } from './keys.ts'
import type { IdentityToken, IdentityTokenRequest } from './schema.ts'

export type PushIdentity = {
  /**
   * @param key API key, whose mode must match the environment of the application
   * @throws AppError 400 naming `application_id`
   */
  issue(key: Owner, request: IdentityTokenRequest): Promise<IdentityToken>
  /** @returns undefined unless the token is an assertion for this audience that is valid now */
  verify(token: string, audience: Audience): Promise<Assertion | undefined>
}

export function createPushIdentity(options: IdentityKeyOptions & { db: Database }): PushIdentity {
  const { db, clock, newId } = options
  const keys = createIdentityKeys(options)
  return {
    issue: async ({ org_id, mode }, { application_id, external_user_id }) => {
      const { id } = await requireApplication(db, org_id, application_id, mode)
      const key = await keys.signing()
      const now = clock.now()
      const audience = { org_id, application_id: id, environment: mode }
      const claims = { external_user_id, jti: newId(now), now }
      const { token, expires_at } = await signAssertion(key, audience, claims)
      return { identity_token: token, expires_at: expires_at.toISOString() }
    },
    verify: async (token, audience) =>
      await verifyAssertion(token, audience, { findKey: keys.verifying, now: clock.now() }),
  }
}
