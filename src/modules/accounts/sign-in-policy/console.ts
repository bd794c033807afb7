/** How members have to sign in: all members see it, and owners change it. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import type { SignInPolicies } from './service.ts'

const PATH = '/console/api/organization/sign-in'
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const OWNER = { access: { member: 'owner' }, rate_class: 'console', fresh_factor: true } as const

const CHANGE = {
  config: OWNER,
  schema: { body: Type.Object({ requires_second_factor: Type.Boolean() }) },
} as const

export function signInPolicyRoutes(app: App, { accounts }: { accounts: SignInPolicies }): void {
  app.get(PATH, { config: MEMBER }, async ({ member }) =>
    envelope('Sign-in', found(await accounts.findSignInPolicy(member.org_id))),
  )

  app.put(PATH, CHANGE, async ({ member: { org_id, user_id }, body }) => {
    if ((await accounts.setSignInPolicy(org_id, body, user_id)) === 'no_second_factor') {
      throw invalidRequest(
        'requires_second_factor',
        'Set up a second factor yourself before you require one',
      )
    }
    return envelope('Sign-in changed', found(await accounts.findSignInPolicy(org_id)))
  })
}
