/** Sign-in of programs, which a signed-in user approves with the short code that the program shows. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { forbidden, invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { addressOf } from '../sessions/origin.ts'
import type { DeviceSignIns } from './service.ts'

const AUTH = '/console/api/auth/device'
const OWN = '/console/api/me/device-sign-in'
const CODE_MAX_CHARS = 64
const PROGRAM_MAX_CHARS = 200
const DAYS_MAX = 366
const PROGRAM = /^\P{Cc}+$/u

const code = Type.String({ minLength: 1, maxLength: CODE_MAX_CHARS })
const BEGIN = {
  config: { access: 'public', rate_class: 'sign_in' },
  schema: {
    body: Type.Object({ program: Type.String({ minLength: 1, maxLength: PROGRAM_MAX_CHARS }) }),
  },
} as const
const POLL = {
  // Not limited like sign-in: device codes cannot be guessed.
  config: { access: 'public', rate_class: 'console' },
  schema: { body: Type.Object({ device_code: code }) },
} as const
const OF_CODE = {
  config: { access: 'user', rate_class: 'sign_in', limited_session: true },
  schema: { body: Type.Object({ user_code: code }) },
} as const
const APPROVE = {
  config: { access: { member: 'member' }, rate_class: 'sign_in', fresh_factor: true },
  schema: {
    body: Type.Object({ user_code: code, days: Type.Integer({ minimum: 1, maximum: DAYS_MAX }) }),
  },
} as const

export function deviceSignInRoutes(app: App, { accounts }: { accounts: DeviceSignIns }): void {
  app.post(AUTH, BEGIN, async (request) => {
    const { program } = request.body
    if (!PROGRAM.test(program)) {
      throw invalidRequest('program', 'program must not contain control characters')
    }
    const codes = await accounts.beginDeviceSignIn({ program, address: addressOf(request) })
    return envelope('Approve the code in the console', codes)
  })

  app.post(`${AUTH}/token`, POLL, async ({ body }) =>
    envelope('Sign-in', found(await accounts.redeemDeviceSignIn(body.device_code))),
  )

  app.post(OWN, OF_CODE, async ({ body }) =>
    envelope('Sign-in', found(await accounts.previewDeviceSignIn(body.user_code))),
  )

  app.post(`${OWN}/deny`, OF_CODE, async ({ body }) => {
    found((await accounts.decideDeviceSignIn(body.user_code, 'denied')) || undefined)
    return envelope('Denied', {})
  })

  app.post(`${OWN}/approve`, APPROVE, async ({ member, body }) => {
    // Otherwise a token could prolong its own life.
    if (member.only_org_id !== undefined) throw forbidden('Approve this in the console')
    const { user_id, org_id, provider } = member
    const is_proved = member.factor === 'fresh'
    const approval = { user_id, org_id, provider, days: body.days, is_proved }
    found((await accounts.decideDeviceSignIn(body.user_code, approval)) || undefined)
    return envelope('Approved', {})
  })
}
