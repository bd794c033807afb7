/** Invitations. The token is only sent in bodies, because proxies log paths and queries. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import {
  type AppError,
  forbidden,
  invalidRequest,
  notFound,
} from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { passwordMessage, refuseWhenBusy } from '../password-refusals.ts'
import type { SignInAttempts } from '../sessions/attempts.ts'
import { ROLES } from '../tables.ts'
import {
  type AcceptRefused,
  INVITATIONS_MAX,
  type Invitations,
  type InviteRefused,
  type Joined,
} from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024

const email = Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS })
const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const body = Type.Object({ token: secret })
const INVITE = {
  config: { ...ADMIN, fresh_factor: { role: ['admin', 'owner'] } },
  schema: {
    body: Type.Object({
      email,
      role: choice(ROLES),
      delivery: Type.Optional(choice(['mail', 'link'] as const)),
    }),
  },
} as const
const REVOKE = { config: ADMIN, schema: { params: Type.Object({ id: Type.String() }) } }
const SHOW = { config: { access: 'public', rate_class: 'sign_in' }, schema: { body } } as const
const ACCEPT = { ...SHOW, schema: { body: Type.Object({ token: secret, password: secret }) } }
const JOIN = { config: { access: 'user', rate_class: 'sign_in' }, schema: { body } } as const

type Dependencies = { accounts: Invitations; attempts: SignInAttempts }

export function invitationRoutes(app: App, { accounts, attempts }: Dependencies): void {
  app.get('/console/api/invitations', { config: ADMIN }, async (request) => {
    const { org_id } = request.member
    return envelope('Invitations', { invitations: await accounts.listInvitations(org_id) })
  })

  app.post('/console/api/invitations', INVITE, async (request) => {
    const { org_id, user_id } = request.member
    const created = await accounts.invite(org_id, request.body, user_id)
    if ('refused' in created) throw inviteRefusal(created.refused)
    const message = created.is_mailed ? 'Invited by e-mail' : 'Invited; the link is not shown again'
    return envelope(message, created)
  })

  app.delete('/console/api/invitations/:id', REVOKE, async (request) => {
    const { org_id, user_id } = request.member
    if (!(await accounts.revokeInvitation(org_id, request.params.id, user_id))) throw notFound()
    return envelope('Invitation revoked', {})
  })

  app.post('/console/api/invitations/show', SHOW, async (request) =>
    envelope('Invitation', found(await accounts.previewInvitation(request.body.token))),
  )

  app.post('/console/api/invitations/accept', ACCEPT, async (request) => {
    const { token, password } = request.body
    const invitation = found(await accounts.previewInvitation(token))
    // The password may be that of an account, so this must not be a way to guess it.
    await attempts.count(request, invitation.email)
    const joined = await accounts.acceptWithPassword(token, password).catch(refuseWhenBusy)
    return envelope('Joined', joinedOrRefused(joined))
  })

  app.post('/console/api/invitations/join', JOIN, async (request) => {
    const joined = await accounts.acceptAs(request.body.token, request.user.user_id)
    return envelope('Joined', joinedOrRefused(joined))
  })
}

function joinedOrRefused(joined: Joined | { refused: AcceptRefused }): Joined {
  if (!('refused' in joined)) return joined
  const { refused } = joined
  if (refused === 'not_found') throw notFound()
  if (refused === 'other_user') {
    throw forbidden('The invitation is for another e-mail; sign in with that e-mail')
  }
  throw invalidRequest('password', passwordMessage(refused))
}

function inviteRefusal(refused: InviteRefused): AppError {
  switch (refused) {
    case 'not_found':
      return notFound()
    case 'forbidden':
      return forbidden('Only owners can invite owners')
    case 'email_invalid':
      return invalidRequest('email', 'email must be an email address, such as ann@example.com')
    case 'is_member':
      return invalidRequest('email', 'email belongs to a member')
    case 'no_mail':
      return invalidRequest('delivery', 'delivery by mail needs a mail server of the installation')
    case 'too_many':
      return invalidRequest('org_id', `org_id has ${INVITATIONS_MAX} invitations; revoke some`)
  }
}
