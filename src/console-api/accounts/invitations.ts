/**
 * Invitations. The token travels in bodies only: a path or a query would be in the logs of every
 * proxy on the way.
 */
import { Type } from 'typebox'
import {
  type AcceptRefused,
  type Accounts,
  INVITATIONS_MAX,
  type InviteRefused,
  type Joined,
  requireAdmin,
} from '../../modules/accounts/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { type AppError, forbidden, invalidRequest, notFound } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { ROLES } from '../../platform/postgres/tables/accounts.ts'
import { found } from '../found.ts'
import { passwordMessage, refuseWhenBusy } from './refusals.ts'

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024

const ofOrganization = Type.Object({ org_id: Type.String() })
const oneInvitation = Type.Object({ id: Type.String() })
const inviteBody = Type.Object({
  org_id: Type.String(),
  email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }),
  role: choice(ROLES),
})
const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const tokenBody = Type.Object({ token: secret })
const acceptBody = Type.Object({ token: secret, password: secret })

export function invitationRoutes(app: App, { accounts }: { accounts: Accounts }): void {
  managingRoutes(app, accounts)
  acceptingRoutes(app, accounts)
}

function managingRoutes(app: App, accounts: Accounts): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/invitations',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Invitations', { invitations: await accounts.listInvitations(org_id) })
    },
  )

  app.post(
    '/console/api/invitations',
    { config, schema: { body: inviteBody } },
    async (request) => {
      const { org_id, email, role } = request.body
      const { user_id } = userOf(request)
      await requireAdmin(accounts, user_id, org_id)
      const created = await accounts.invite(org_id, { email, role }, user_id)
      if ('refused' in created) throw inviteRefusal(created.refused)
      return envelope('Invited; the link is not shown again', created)
    },
  )

  app.delete(
    '/console/api/invitations/:id',
    { config, schema: { params: oneInvitation, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireAdmin(accounts, user_id, org_id)
      const { id } = request.params
      if (!(await accounts.revokeInvitation(org_id, id, user_id))) throw notFound()
      return envelope('Invitation revoked', {})
    },
  )
}

function acceptingRoutes(app: App, accounts: Accounts): void {
  const config = { access: 'public', rate_class: 'sign_in' } as const

  app.post(
    '/console/api/invitations/show',
    { config, schema: { body: tokenBody } },
    async (request) =>
      envelope('Invitation', found(await accounts.showInvitation(request.body.token))),
  )

  app.post(
    '/console/api/invitations/accept',
    { config, schema: { body: acceptBody } },
    async (request) => {
      const { token, password } = request.body
      const joined = await accounts.acceptAsNewUser(token, password).catch(refuseWhenBusy)
      return envelope('Account created', joinedOrRefused(joined))
    },
  )

  app.post(
    '/console/api/invitations/join',
    { config: { ...config, access: 'portal' }, schema: { body: tokenBody } },
    async (request) => {
      const joined = await accounts.acceptAs(request.body.token, userOf(request).user_id)
      return envelope('Joined', joinedOrRefused(joined))
    },
  )
}

function joinedOrRefused(joined: Joined | { refused: AcceptRefused }): Joined {
  if (!('refused' in joined)) return joined
  switch (joined.refused) {
    case 'not_found':
      throw notFound()
    case 'other_user':
      throw forbidden('The invitation is for another e-mail; sign in with that one')
    case 'email_invalid':
    case 'email_taken':
      throw invalidRequest('token', 'There is an account with this e-mail; sign in to accept')
    case 'password_too_short':
    case 'password_too_long':
      throw invalidRequest('password', passwordMessage(joined.refused))
  }
}

function inviteRefusal(refused: InviteRefused): AppError {
  switch (refused) {
    case 'not_found':
      return notFound()
    case 'forbidden':
      return forbidden('Only owners invite owners')
    case 'email_invalid':
      return invalidRequest('email', 'email is not an e-mail address')
    case 'is_member':
      return invalidRequest('email', 'email is that of a member')
    case 'too_many':
      return invalidRequest('org_id', `org_id has ${INVITATIONS_MAX} invitations; revoke some`)
  }
}
