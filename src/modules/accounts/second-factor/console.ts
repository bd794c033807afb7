/** The second factor of the signed-in user. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { type AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import { refuseWhenBusy } from '../password-refusals.ts'
import { BLOCK_MS, type SecondFactorRefused, type SecondFactors } from './service.ts'

const SECRET_MAX_CHARS = 1024
export const CODE_MAX_CHARS = 64

const USER = { access: 'user', rate_class: 'console' } as const
/** Limited like sign-in, against guessing at an unlocked screen. */
const GUESSABLE = { access: 'user', rate_class: 'sign_in' } as const
const ROOT = '/console/api/me/second-factor'

const code = Type.Object({ code: Type.String({ minLength: 1, maxLength: CODE_MAX_CHARS }) })
const password = Type.Object({
  password: Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS }),
})
const WITH_CODE = { config: GUESSABLE, schema: { body: code } }

export function secondFactorRoutes(app: App, { accounts }: { accounts: SecondFactors }): void {
  app.get(ROOT, { config: USER }, async ({ user }) =>
    envelope('Second factor', await accounts.describeSecondFactor(user.user_id)),
  )

  const begin = { config: GUESSABLE, schema: { body: password } }
  app.post(`${ROOT}/begin`, begin, async ({ user, body }) => {
    const begun = accounts.beginSecondFactor(user.user_id, body.password).catch(refuseWhenBusy)
    return envelope('Confirm with a code of the app', accepted(await begun))
  })

  app.post(`${ROOT}/confirm`, WITH_CODE, async ({ user, body }) => {
    const codes = accepted(await accounts.confirmSecondFactor(user, body.code))
    return envelope('Second factor is on; these codes are not shown again', {
      recovery_codes: codes,
    })
  })

  app.post(`${ROOT}/prove`, WITH_CODE, async ({ user, body }) => {
    accepted(await accounts.proveSecondFactor(user, body.code))
    return envelope('Confirmed', {})
  })

  app.post(`${ROOT}/recovery-codes`, WITH_CODE, async ({ user, body }) => {
    const codes = accepted(await accounts.renewRecoveryCodes(user.user_id, body.code))
    return envelope('New recovery codes; they are not shown again', { recovery_codes: codes })
  })

  app.post(`${ROOT}/remove`, WITH_CODE, async ({ user, body }) => {
    accepted(await accounts.removeSecondFactor(user.user_id, body.code))
    return envelope('Second factor is off', {})
  })
}

/** @throws AppError */
function accepted<T>(outcome: T | { refused: SecondFactorRefused }): T {
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) {
    throw refusalOf(outcome.refused)
  }
  return outcome
}

function refusalOf(refused: SecondFactorRefused): AppError {
  switch (refused) {
    case 'wrong_password':
      return invalidRequest('password', 'This is not the current password')
    case 'is_on':
      return invalidRequest('code', 'The second factor is already on; remove it first')
    case 'is_off':
      return invalidRequest('code', 'There is no second factor; set one up first')
    case 'blocked':
      return tooManyRequests(BLOCK_MS / 1000)
    case 'required':
    case 'wrong':
      return invalidRequest('code', 'This code is wrong, was used before, or has expired')
  }
}
