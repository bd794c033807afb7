/** The signed-in user: their organisations, password and sessions. */
import { Type } from 'typebox'
import type { Accounts, PasswordRefused } from '../../modules/accounts/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import {
  type AppError,
  invalidRequest,
  invalidToken,
  notFound,
} from '../../platform/http/errors.ts'
import { passwordMessage, refuseWhenBusy } from './refusals.ts'

const SECRET_MAX_CHARS = 1024

const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const passwordBody = Type.Object({ current: secret, next: secret })
const oneSession = Type.Object({ id: Type.String() })

export function profileRoutes(app: App, { accounts }: { accounts: Accounts }): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get('/console/api/me', { config }, async (request) => {
    const { user_id } = userOf(request)
    const email = await accounts.findEmail(user_id)
    if (email === undefined) throw invalidToken()
    const organizations = await accounts.listOrganizations(user_id)
    return envelope('Signed-in user', { user_id, email, organizations })
  })

  app.post(
    '/console/api/me/password',
    // Whoever has found an unlocked screen must not guess the password there.
    { config: { ...config, rate_class: 'sign_in' }, schema: { body: passwordBody } },
    async (request) => {
      const { user_id, session_id } = userOf(request)
      const changed = await accounts
        .changePassword({ user_id, session_id }, request.body)
        .catch(refuseWhenBusy)
      if (changed !== 'done') throw refusal(changed.refused)
      return envelope('Password changed; other sessions have ended', {})
    },
  )

  app.get('/console/api/me/sessions', { config }, async (request) => {
    const { user_id, session_id } = userOf(request)
    return envelope('Sessions', { sessions: await accounts.listSessions(user_id, session_id) })
  })

  app.delete(
    '/console/api/me/sessions/:id',
    { config, schema: { params: oneSession } },
    async (request) => {
      const { user_id } = userOf(request)
      if (!(await accounts.endSession(user_id, request.params.id))) throw notFound()
      return envelope('Session ended', {})
    },
  )
}

function refusal(refused: PasswordRefused): AppError {
  switch (refused) {
    case 'wrong_password':
      return invalidRequest('current', 'This is not the current password')
    case 'email_invalid':
      return invalidToken()
    case 'password_too_short':
    case 'password_too_long':
      return invalidRequest('next', passwordMessage(refused))
  }
}
