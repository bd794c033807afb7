/** New passwords by a link. The token is only sent in bodies, because proxies log paths and queries. */
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
import { passwordMessage, refuseWhenBusy } from '../password-refusals.ts'
import type { SignInAttempts } from '../sessions/attempts.ts'
import { RESETS_MAX } from './expansion.ts'
import type { PasswordResets, ResetRefused } from './service.ts'

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024
const AUTH = '/console/api/auth/password-reset'

const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const PUBLIC = { access: 'public', rate_class: 'sign_in' } as const
const email = Type.Object({ email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }) })
const REQUEST = { config: PUBLIC, schema: { body: email } } as const
const SHOW = { config: PUBLIC, schema: { body: Type.Object({ token: secret }) } } as const
const USE = {
  config: PUBLIC,
  schema: { body: Type.Object({ token: secret, password: secret }) },
} as const
const MEMBER = {
  config: { access: { member: 'admin' }, rate_class: 'console', fresh_factor: true },
  schema: { params: Type.Object({ user_id: Type.String() }) },
} as const

type Dependencies = { accounts: PasswordResets; attempts: SignInAttempts }

export function passwordResetRoutes(app: App, { accounts, attempts }: Dependencies): void {
  app.post(`${AUTH}/request`, REQUEST, async (request) => {
    await attempts.count(request, request.body.email)
    const is_mailed = await accounts.requestReset(request.body.email)
    return envelope('If there is an account with this e-mail, a mail is sent', { is_mailed })
  })

  app.post(`${AUTH}/show`, SHOW, async (request) =>
    envelope('Password reset', found(await accounts.previewReset(request.body.token))),
  )

  app.post(AUTH, USE, async (request) => {
    const { token, password } = request.body
    const outcome = await accounts.resetPassword(token, password).catch(refuseWhenBusy)
    if (outcome === 'done') return envelope('Password changed; all sessions have ended', {})
    if (outcome.refused === 'not_found') throw notFound()
    throw invalidRequest('password', passwordMessage(outcome.refused))
  })

  app.post('/console/api/members/:user_id/password-reset', MEMBER, async (request) => {
    const { org_id, user_id: by } = request.member
    const reset = await accounts.resetMember(org_id, request.params.user_id, by)
    if ('refused' in reset) throw refusal(reset.refused)
    return envelope('Password reset', reset)
  })
}

function refusal(refused: ResetRefused): AppError {
  switch (refused) {
    case 'not_found':
      return notFound()
    case 'forbidden':
      return forbidden('Only owners can reset the passwords of owners')
    case 'is_self':
      return invalidRequest('user_id', 'user_id is your own; change your password under Profile')
    case 'elsewhere':
      return invalidRequest(
        'user_id',
        'user_id also belongs to another organization; the operator can reset the password, or set up a mail server',
      )
    case 'too_many':
      return invalidRequest('user_id', `user_id has ${RESETS_MAX} links of the last hour already`)
  }
}
