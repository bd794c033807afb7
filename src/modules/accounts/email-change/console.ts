/** Another e-mail address for the account of the signed-in user. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { AppError, forbidden, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { refuseWhenBusy } from '../password-refusals.ts'
import { unprovedChange } from '../second-factor/unproved.ts'
import type { SignInAttempts } from '../sessions/attempts.ts'
import type { EmailChangeRefused, EmailChanges } from './service.ts'

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024
const OWN = '/console/api/me/email'
const AUTH = '/console/api/auth/email-change'

const USER = { access: 'user', rate_class: 'console' } as const
const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const BEGIN = {
  // Limited like sign-in, against guessing the password at an unlocked screen.
  config: { access: 'user', rate_class: 'sign_in' },
  schema: {
    body: Type.Object({
      email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }),
      password: secret,
    }),
  },
} as const
const LINK = {
  config: { access: 'public', rate_class: 'sign_in' },
  schema: { body: Type.Object({ token: secret }) },
} as const

type Dependencies = { accounts: EmailChanges; attempts: SignInAttempts; has_mail: boolean }

export function emailChangeRoutes(app: App, deps: Dependencies): void {
  const { accounts, attempts, has_mail } = deps
  app.get(OWN, { config: USER }, async ({ user }) => {
    const change = await accounts.findEmailChange(user.user_id)
    return envelope('E-mail', { can_change: has_mail, change })
  })

  app.post(OWN, BEGIN, async (request) => {
    await attempts.count(request, request.body.email)
    const begun = accounts.beginEmailChange(request.user, request.body).catch(refuseWhenBusy)
    const outcome = await begun
    if (outcome !== 'done') throw refusal(outcome.refused)
    return envelope('Both addresses have to confirm the change', {})
  })

  app.delete(OWN, { config: USER }, async ({ user }) => {
    if (!(await accounts.cancelEmailChange(user.user_id))) throw notFound()
    return envelope('Change canceled', {})
  })

  app.post(`${AUTH}/show`, LINK, async ({ body }) =>
    envelope('Change of the e-mail', found(await accounts.previewEmailChange(body.token))),
  )

  app.post(`${AUTH}/confirm`, LINK, async ({ body }) => {
    const outcome = await accounts.confirmEmailChange(body.token)
    if (outcome === 'not_found') throw notFound()
    if (outcome === 'taken') {
      throw invalidRequest('token', 'Another account has this e-mail; the change is not possible')
    }
    return envelope('Confirmed', { is_complete: outcome === 'complete' })
  })

  app.post(`${AUTH}/cancel`, LINK, async ({ body }) => {
    if (!(await accounts.cancelEmailChangeByLink(body.token))) throw notFound()
    return envelope('Change canceled', {})
  })
}

function refusal(refused: EmailChangeRefused): AppError {
  switch (refused) {
    case 'no_mail':
      return forbidden('This installation has no mail server; ask the operator')
    case 'email_invalid':
      return invalidRequest('email', 'email must be an email address, such as ann@example.com')
    case 'is_same':
      return invalidRequest('email', 'email is your present address')
    case 'wrong_password':
      return invalidRequest('password', 'This is not the current password')
    case 'unproved':
      return unprovedChange()
  }
}
